import Foundation
import Media
import RTP
import TestSupport
import Testing

/// What a sender tells of its parameter sets, and where.
struct ReceivedStreamTests {
    private static let sequence = Array(Data(base64Encoded: "Z2QAH6y0AoAt2AiAAAADAIAAAB5HjBlQ")!)
    /// The same with a lower level.
    private static let otherSequence = sequence.enumerated().map { $0.offset == 3 ? 0x1E : $0.element }
    private static let picture = Array(Data(base64Encoded: "aO8Pyw==")!)
    private static let sets = H264.ParameterSets(sequence: [sequence], picture: [picture])!
    private static let audio = AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)
    private static let (idr, other): ([UInt8], [UInt8]) = ([0x65, 0x88, 0x81], [0x41, 0x9A, 0x02])

    /// A received stream with a sender of its video.
    private struct Link {
        private var stream: ReceivedStream
        private var rewriter = HeaderRewriter.forTests()
        private let sender = packager()
        private var frameCount: Int64 = 0
        var outputs: [ReceivedStream.Output] = []
        var needsKeyframe: Bool { stream.needsKeyframe }

        init(_ format: ReceivedStream.Format) {
            stream = ReceivedStream(
                .tracks([.init(clockRate: .video, format: format)]), epoch: MonotonicTime(nanoseconds: 0))
        }

        /// Sends a frame, of which `lost` packets are lost at the start.
        mutating func send(_ units: [[UInt8]], lost: Int = 0) {
            frameCount += 1
            let frame = accessUnit(units, ticks: frameCount * 3_600)
            let datagrams = sender.package(frame)?.datagrams(&rewriter) ?? []
            let arrival = MonotonicTime(nanoseconds: frameCount * 40_000_000)
            stream.deadlinePassed(at: arrival)
            for bytes in datagrams.dropFirst(lost) {
                guard let (header, payload) = Header.parse(bytes.rawSpan) else { continue }
                stream.received(bytes.rawSpan.extracting(payload), header: header, track: 0, arrival: arrival)
            }
            stream.deadlinePassed(at: arrival + 50_000_000)
            while let output = stream.next() { outputs.append(output) }
        }

        /// The outputs as texts: the last byte of the level of an announcement; the types of the NAL units of a frame.
        var story: [String] {
            outputs.map { output in
                switch output {
                case .announce(let tracks): "announce \(tracks.map(\.level).joined(separator: ","))"
                case .publish(let unit): (unit.isKeyframe ? "key " : "") + unit.types
                }
            }
        }
    }

    @Test func describedSetsAreAddedToKeyframesThatLackThem() {
        var link = Link(.described(.h264(Self.sets)))
        link.send([Self.idr])
        link.send([Self.other])
        #expect(link.story == ["announce 1F", "key 7 8 5", "1"])
    }

    /// What encodes it again announces it.
    @Test func aTrackThatIsEncodedAgainIsPublishedAndNotAnnounced() throws {
        var stream = ReceivedStream(
            .tracks([.init(clockRate: .telephony, format: .transcoded(.audio(.g722)))]),
            epoch: MonotonicTime(nanoseconds: 0))
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 9), isMarked: false, sequenceNumber: SequenceNumber(1), timestamp: 5,
            ssrc: SSRC(1))
        let bytes: [UInt8] = [1, 2, 3]
        stream.received(bytes.rawSpan, header: header, track: 0, arrival: MonotonicTime(nanoseconds: 1_000_000_000))
        guard case .announce(let tracks)? = stream.next(), case .publish(let unit)? = stream.next() else {
            Issue.record("nothing is published")
            return
        }
        #expect(tracks.isEmpty)
        #expect(unit.bytes == bytes)
        #expect(unit.presentationTime == MediaTime(ticks: 8_000, rate: .telephony))
        let end = stream.next()
        #expect(end == nil)
    }

    @Test func setsInTheStreamAreAwaited() {
        var link = Link(.h264InBand)
        link.send([Self.other])
        link.send([Self.idr])
        link.send([Self.sequence, Self.picture, Self.idr])
        link.send([Self.other])
        link.send([Self.idr])
        #expect(link.story == ["announce 1F", "key 7 8 5", "1", "key 7 8 5"])
    }

    /// Sets that change between keyframes take effect with the next one, for viewers in one announcement.
    @Test func changedSetsAreAnnouncedAtTheNextKeyframe() {
        var link = Link(.described(.h264(Self.sets)))
        link.send([Self.idr])
        link.send([Self.otherSequence, Self.other])
        link.send([Self.idr])
        link.send([Self.otherSequence, Self.picture, Self.idr])
        #expect(link.story == ["announce 1F", "key 7 8 5", "7 1", "announce 1E", "key 7 8 5", "key 7 8 5"])
    }

    /// A keyframe repairs what a lost packet has damaged.
    @Test func aLossNeedsAKeyframe() {
        var link = Link(.described(.h264(Self.sets)))
        link.send([Self.idr])
        link.send([Self.other])
        #expect(!link.needsKeyframe)
        link.send([Self.other], lost: 1)
        link.send([Self.other])
        link.send([Self.other])
        #expect(link.needsKeyframe)
        link.send([Self.idr])
        #expect(!link.needsKeyframe)
    }

    /// They would be added to each keyframe.
    @Test func aFloodOfSetsIsNotKept() {
        var link = Link(.described(.h264(Self.sets)))
        link.send([Self.idr])
        link.send([Self.picture + Array(repeating: 0x55, count: 65_520), Self.idr])
        link.send([Self.idr])
        #expect(link.story.last == "key 7 8 5")
        guard case .publish(let unit)? = link.outputs.last else { return }
        #expect(unit.bytes.count < 100)
    }

    /// An audio unit is a random access point, but no keyframe with which new parameter sets take effect.
    @Test func newSetsWaitForAKeyframeOfTheirTrack() {
        var stream = ReceivedStream(
            .tracks([
                .init(clockRate: .video, format: .described(.h264(Self.sets))),
                .init(clockRate: .audio48k, format: .described(.aac(Self.audio))),
            ]), epoch: MonotonicTime(nanoseconds: 0))
        var rewriter = HeaderRewriter.forTests()
        var announcements = 0
        func send(_ unit: AccessUnit, track: Int, at time: Int64) {
            for bytes in packager().package(unit)?.datagrams(&rewriter) ?? [] {
                guard let (header, payload) = Header.parse(bytes.rawSpan) else { continue }
                let arrival = MonotonicTime(nanoseconds: time)
                stream.received(bytes.rawSpan.extracting(payload), header: header, track: track, arrival: arrival)
            }
            stream.deadlinePassed(at: MonotonicTime(nanoseconds: time + 60_000_000))
            while let output = stream.next() { if case .announce = output { announcements += 1 } }
        }
        let time = MediaTime(ticks: 9_600, rate: .audio48k)
        let audio = AccessUnit(
            track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: [1, 2, 3],
            units: [0..<3])
        send(accessUnit([Self.idr], ticks: 3_600), track: 0, at: 40_000_000)
        send(accessUnit([Self.otherSequence, Self.other], ticks: 7_200), track: 0, at: 80_000_000)
        #expect(announcements == 1)
        send(audio, track: 1, at: 200_000_000)
        #expect(announcements == 1)
    }

    /// A camera with intra refresh sends no IDR picture, only recovery points (payload type 6 in SEI, also behind another message).
    @Test(arguments: [[0x06, 0x06, 0x01, 0x9C, 0x80], [0x06, 0x05, 0x01, 0xAA, 0x06, 0x01, 0x9C, 0x80]] as [[UInt8]])
    func aRecoveryPointIsAKeyframe(information: [UInt8]) {
        var link = Link(.described(.h264(Self.sets)))
        link.send([[0x06, 0x05, 0x01, 0x06, 0x80], Self.other])
        link.send([information, Self.other])
        link.send([Self.other])
        #expect(link.story == ["announce 1F", "6 1", "key 7 8 6 1", "1"])
    }

    /// A frame with a missing part is passed on, because players conceal it, but no viewer begins with it.
    @Test func noViewerBeginsWithADamagedKeyframe() {
        var link = Link(.described(.h264(Self.sets)))
        link.send([Self.idr])
        link.send([[0x65] + Array(repeating: 0x88, count: 4_000), [0x65] + Array(repeating: 0x99, count: 40)], lost: 1)
        link.send([Self.other])
        #expect(link.story.prefix(2) == ["announce 1F", "key 7 8 5"])
        #expect(!link.story.dropFirst(2).contains { $0.hasPrefix("key") })
        #expect(link.story.last == "1")
    }

    @Test func tracksAreAnnouncedTogether() {
        let tracks: [ReceivedStream.RTPTrack] = [
            .init(clockRate: .video, format: .described(.h264(Self.sets))),
            .init(clockRate: .audio48k, format: .described(.aac(Self.audio))),
        ]
        var stream = ReceivedStream(.tracks(tracks), epoch: MonotonicTime(nanoseconds: 0))
        var rewriter = HeaderRewriter.forTests()
        let sender = packager()
        let time = MediaTime(ticks: 1_024, rate: .audio48k)
        let unit = AccessUnit(
            track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: [1, 2, 3],
            units: [0..<3])
        for bytes in sender.package(unit)?.datagrams(&rewriter) ?? [] {
            guard let (header, payload) = Header.parse(bytes.rawSpan) else { continue }
            stream.received(
                bytes.rawSpan.extracting(payload), header: header, track: 1, arrival: MonotonicTime(nanoseconds: 9))
        }
        guard case .announce(let tracks)? = stream.next(), case .publish(let published)? = stream.next() else {
            Issue.record("an announcement comes before the first unit")
            return
        }
        #expect(tracks.map(\.codec) == [.h264, .aac])
        #expect(published.track == TrackID(1) && published.bytes == [1, 2, 3])
    }
}

extension Track {
    /// The last byte of the level of its first sequence parameter set.
    fileprivate var level: String {
        guard case .h264(let sets) = format else { return "-" }
        return String(sets.sequence[0][3], radix: 16, uppercase: true)
    }
}

extension AccessUnit {
    fileprivate var types: String { units.map { "\(bytes[$0.lowerBound] & 0x1F)" }.joined(separator: " ") }
}
