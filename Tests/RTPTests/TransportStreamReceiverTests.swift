import Foundation
import Media
import RTP
import TestSupport
import Testing

/// An MPEG transport stream in RTP: what `MPEGTSPackager` sends is received, in virtual time.
struct TransportStreamReceiverTests {
    private static let millisecond: Int64 = 1_000_000
    private static let sets = H264.ParameterSets(
        sequence: [Array(Data(base64Encoded: "Z2QAH6y0AoAt2AiAAAADAIAAAB5HjBlQ")!)],
        picture: [Array(Data(base64Encoded: "aO8Pyw==")!)])!
    private static let audio = AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)
    private static let tracks = [
        Track(id: TrackID(0), format: .h264(sets)), Track(id: TrackID(1), format: .aac(audio)),
    ]

    /// A sender and a receiver, without a network between them.
    private struct Link {
        private var stream = ReceivedStream(.transportStream, epoch: MonotonicTime(nanoseconds: 0))
        private var packager: MPEGTSPackager
        private var rewriter = HeaderRewriter.forTests()
        private(set) var announced: [[Track]] = []
        private(set) var units: [AccessUnit] = []
        private(set) var hasMedia = false
        var fault: TransportStreamFault? { stream.fault }
        var leftOut: [String] { stream.leftOut }
        var needsKeyframe: Bool { stream.needsKeyframe }
        var counts: DepacketizerCounts { stream.counts(track: 0) }
        var nextDeadline: MonotonicTime { stream.nextDeadline }

        init(_ tracks: [Track] = TransportStreamReceiverTests.tracks) {
            packager = MPEGTSPackager(tracks: tracks, options: .init())
        }

        /// - Parameters:
        ///   - arrival: milliseconds.
        ///   - isLost: whether a packet of the unit, by its index, is lost.
        mutating func send(_ unit: AccessUnit, at arrival: Int64, losing isLost: (Int) -> Bool = { _ in false }) {
            let datagrams = packager.package(unit)?.datagrams(&rewriter) ?? []
            for (index, bytes) in datagrams.enumerated() where !isLost(index) { receive(bytes, at: arrival) }
        }

        mutating func receive(_ bytes: [UInt8], at arrival: Int64) {
            let now = MonotonicTime(nanoseconds: arrival * millisecond)
            pass(until: now)
            guard let (header, payload) = Header.parse(bytes.rawSpan) else { return }
            hasMedia = stream.received(bytes.rawSpan.extracting(payload), header: header, track: 0, arrival: now)
            take()
        }

        mutating func pass(until now: MonotonicTime) {
            while stream.nextDeadline <= now {
                stream.deadlinePassed(at: stream.nextDeadline)
                take()
            }
        }

        private mutating func take() {
            while let output = stream.next() {
                switch output {
                case .announce(let tracks): announced.append(tracks)
                case .publish(let unit): units.append(unit)
                }
            }
        }

        func units(of track: Int) -> [AccessUnit] { units.filter { $0.track.index == track } }
    }

    private static func frame(_ number: Int64, shown: Int64? = nil, byteCount: Int = 900) -> AccessUnit {
        let isKeyframe = number % 25 == 0
        let slice = [isKeyframe ? 0x65 : 0x41] + [UInt8](repeating: 0x55, count: byteCount)
        return AccessUnit(
            track: TrackID(0), presentationTime: MediaTime(ticks: (shown ?? number) * 3_600, rate: .video),
            decodeTime: MediaTime(ticks: number * 3_600, rate: .video), isKeyframe: isKeyframe, nalUnits: [slice])
    }

    private static func sound(_ number: Int64) -> AccessUnit {
        let time = MediaTime(ticks: number * 1_024, rate: .audio48k)
        return AccessUnit(
            track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true,
            nalUnits: [[UInt8](repeating: UInt8(number & 0xFF), count: 90)])
    }

    @Test func tracksAreAnnouncedOnceAndNothingIsLostBefore() {
        var link = Link()
        for number in 0..<50 as Range<Int64> {
            link.send(Self.frame(number), at: number * 40)
            for sound in (number * 2)..<(number * 2 + 2) { link.send(Self.sound(sound), at: number * 40) }
        }
        #expect(link.announced == [Self.tracks])
        // The last frame waits for the next one only while it is not sure where frames end.
        #expect(link.units(of: 0).count == 50)
        // The two that come before the first frame is complete could not be described yet.
        #expect(link.units(of: 1).map { $0.bytes[0] } == (2..<100).map { $0 })
        #expect(link.units(of: 0).map(\.isKeyframe) == (0..<50).map { $0 % 25 == 0 })
        #expect(link.units(of: 0)[0].units.count == 4, "a delimiter, two parameter sets and a slice")
        #expect(link.fault == nil && link.leftOut == [] && link.counts == DepacketizerCounts())
    }

    /// Audio that is sent 400 ms later than video of the same time is in sync, and nothing is captured after its arrival.
    @Test func tracksAreInSyncThoughOneIsSentLater() {
        var link = Link()
        for number in 0..<250 as Range<Int64> {
            link.send(Self.frame(number), at: 10_000 + number * 40)
            if number >= 10 {
                for sound in ((number - 10) * 2)..<((number - 10) * 2 + 2) {
                    let time = Self.sound(sound).presentationTime.nanoseconds / Self.millisecond
                    link.send(Self.sound(sound), at: max(10_000 + number * 40, 10_400 + time - 20))
                }
            }
        }
        for unit in link.units(of: 0).dropFirst(80) {
            let sent = (unit.presentationTime.nanoseconds - 10_000 * Self.millisecond) % (40 * Self.millisecond)
            #expect(min(sent, 40 * Self.millisecond - sent) < Self.millisecond)
        }
        for unit in link.units(of: 1).dropFirst(100) {
            let number = Int64(unit.bytes[0])
            let expected = 10_000 * Self.millisecond + Self.sound(number).presentationTime.nanoseconds
            let period = 256 * 1_024 * 1_000_000_000 / 48_000 as Int64
            let distance = (unit.presentationTime.nanoseconds - expected) % period
            #expect(min(abs(distance), period - abs(distance)) < Self.millisecond)
        }
    }

    /// Frames keep the decode times of the stream, which rise, and their order of presentation.
    @Test func reorderedFramesKeepBothTimes() {
        var link = Link([Self.tracks[0]])
        for number in 0..<100 as Range<Int64> {
            let shown = number + 1 + [0, 2, -1, -1][Int(number % 4)]
            link.send(Self.frame(number, shown: shown), at: 5_000 + number * 40)
        }
        let units = link.units
        #expect(zip(units, units.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
        #expect(units.allSatisfy { $0.decodeTime.ticks <= $0.presentationTime.ticks })
        let times = units.dropFirst(52).map(\.presentationTime.ticks).sorted()
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { abs($0 - 3_600) < 90 }, "\(steps)")
    }

    /// A lost packet costs its frame 50 ms, which is passed on as damaged.
    @Test func aLossDamagesItsFrameAndNeedsAKeyframe() {
        var link = Link([Self.tracks[0]])
        for number in 0..<40 as Range<Int64> {
            link.send(Self.frame(number, byteCount: 6_000), at: number * 40) { number == 30 && $0 == 2 }
            if number == 29 { #expect(!link.needsKeyframe) }
        }
        #expect(link.counts.lostPackets == 1 && link.counts.brokenUnits >= 1)
        #expect(link.needsKeyframe)
        for number in 40..<52 as Range<Int64> { link.send(Self.frame(number), at: number * 40) }
        #expect(!link.needsKeyframe)
    }

    /// The program map names audio that never comes: two seconds after the first frame, video begins without it.
    @Test func aStreamWithoutDataIsLeftOut() {
        var link = Link()
        for number in 0..<49 as Range<Int64> { link.send(Self.frame(number), at: 1_000 + number * 40) }
        #expect(link.announced.isEmpty && link.units.isEmpty)
        #expect(link.nextDeadline == MonotonicTime(nanoseconds: 3_000 * Self.millisecond))
        for number in 49..<60 as Range<Int64> { link.send(Self.frame(number), at: 1_000 + number * 40) }
        #expect(link.announced == [[Self.tracks[0]]])
        #expect(link.leftOut == ["MPEG4-GENERIC without data"])
        #expect(link.units.count == 60 && link.units[0].isKeyframe, "the frames before are not lost")
        #expect(link.nextDeadline == .distantFuture)
    }

    /// Another source begins with other times, and the tracks stay.
    @Test func anotherSourceContinuesTheTracks() {
        var link = Link()
        func send(_ range: Range<Int64>, at start: Int64) {
            for number in range {
                link.send(Self.frame(number), at: start + (number - range.lowerBound) * 40)
                link.send(Self.sound(number * 2), at: start + (number - range.lowerBound) * 40)
            }
        }
        send(0..<50, at: 0)
        send(1_000_000..<1_000_050, at: 2_000)
        #expect(link.announced == [Self.tracks])
        let video = link.units(of: 0)
        #expect(zip(video, video.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
        #expect(video.allSatisfy { $0.presentationTime.nanoseconds <= 4_000 * Self.millisecond })
    }

    @Test func whatCannotBeReceivedIsNamed() throws {
        var link = Link()
        #expect(link.fault == .noTransportPackets)
        let header = Header(
            payloadType: .transportStream, isMarked: false, sequenceNumber: SequenceNumber(1), timestamp: 0,
            ssrc: SSRC(1))
        var writer = [UInt8](repeating: 0, count: 12)
        writer.replaceSubrange(0..<12, with: [0x80, 33, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(Header.parse(writer.rawSpan)?.header == header)
        link.receive(writer + [UInt8](repeating: 9, count: 188), at: 1)
        #expect(link.fault == .noTransportPackets && !link.hasMedia)
        var null = [UInt8](repeating: 0xFF, count: 188)
        null.replaceSubrange(0..<4, with: [0x47, 0x1F, 0xFF, 0x10])
        writer[3] = 2
        link.receive(writer + null, at: 2)
        #expect(link.fault == .noProgram && !link.hasMedia)
        #expect(
            "\(TransportStreamFault.noSupportedFormat(["AC-3"]))"
                == "the transport stream has no supported codec, only AC-3")
    }
}
