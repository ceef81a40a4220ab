import Media
import RTP
import TestSupport
import Testing

@Suite struct MPEGTSPackagerTests {
    private let tracks: [Track] = {
        guard let sets = H264.ParameterSets(sequence: [[0x67, 66, 0, 30]], picture: [[0x68, 0xCE]]) else {
            preconditionFailure("these are parameter sets")
        }
        let config = AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)
        return [
            Track(id: TrackID(0), clockRate: .video, format: .h264(sets)),
            Track(id: TrackID(1), clockRate: .audio48k, format: .aac(config)),
        ]
    }()

    private func newPackager() -> MPEGTSPackager { MPEGTSPackager(tracks: tracks, options: .init()) }

    /// A frame every 33 ms, an IDR picture every thirty frames, some of them in parts.
    private func units(_ numbers: Range<Int>) -> [AccessUnit] {
        numbers.flatMap { number -> [AccessUnit] in
            let isIDR = number % 30 == 0
            let slice = [isIDR ? 0x65 : 0x41] + [UInt8](repeating: 0x55, count: isIDR ? 90_000 : 1_700 * (number % 7))
            let ticks = Int64(number) * 3_000
            guard number % 4 == 3 else { return [accessUnit([slice], ticks: ticks, isKeyframe: isIDR)] }
            return [AccessUnit.Part.first, .last].map {
                accessUnit([slice], part: $0, ticks: ticks, isKeyframe: isIDR && $0 == .first)
            }
        }
    }

    @Test func aPacketHoldsSevenTransportPackets() throws {
        var packager = newPackager()
        for unit in units(0..<120) {
            let run = try #require(package(unit, with: &packager))
            #expect(run.track == unit.track && run.part == unit.part && run.isKeyframe == unit.isKeyframe)
            #expect(run.presentationTime == unit.presentationTime)
            #expect(run.packets.dropLast().allSatisfy { $0.byteCount == 7 * 188 })
            #expect(run.packets.allSatisfy { $0.byteCount % 188 == 0 && $0.byteCount <= 7 * 188 })
            // The marker bit would mean a discontinuity of timestamps (RFC 2250, section 2.1).
            #expect(run.packets.allSatisfy { !$0.isMarked })
            #expect(run.byteCount == run.payloads.joined().count)
            #expect(run.gsoBatches.flatMap { Array($0) } == Array(run.packets.indices))
            #expect(run.payloads.flatMap(transportPackets).allSatisfy { $0[0] == 0x47 })
        }
    }

    @Test func audioTimestampsCountNinetyKilohertz() throws {
        var packager = newPackager()
        let time = MediaTime(ticks: 48_000 * 3 + 1024, rate: .audio48k)
        let unit = AccessUnit(
            track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: [1, 2],
            units: [0..<2])
        let run = try #require(package(unit, with: &packager))
        #expect(run.presentationTime == MediaTime(ticks: 271_920, rate: .video))
        #expect(package(accessUnit([[1]], track: 9), with: &packager) == nil)
        #expect(package(accessUnit([[UInt8](repeating: 0, count: 9_000)], track: 1), with: &packager) == nil)
    }

    @Test(arguments: [0, 1, 30, 47, 60])
    func fastStartContinuesIntoTheLivePackets(join: Int) throws {
        var packager = newPackager()
        for unit in units(0..<join) { _ = packager.package(unit) }
        let history = units(max(0, join - 20)..<join)
        let fastStart = packager.fastStart(history)
        #expect(fastStart.count == history.count)
        let runs = fastStart + units(join..<(join + 40)).compactMap { packager.package($0) }
        let payloads = try #require(runs.first).payloads
        if join > 0 { #expect(pids(payloads[0]).prefix(2) == [0, 0x1000]) }
        var counters: [Int: UInt8] = [:]
        for packet in runs.flatMap(\.payloads).flatMap(transportPackets) {
            let pid = pids(packet)[0]
            let counter = packet[3] & 0x0F
            // Every packet here has a payload, so each is counted.
            if let last = counters.updateValue(counter, forKey: pid) { #expect(counter == (last + 1) & 0x0F) }
        }
        #expect(counters.keys.sorted() == [0, 0x100, 0x1000])
    }

    @Test func silenceIsSevenNullPackets() throws {
        let filler = try #require(MPEGTSPackager.filler(.init()))
        #expect(filler.payloads.map(\.count) == [7 * 188])
        #expect(pids(filler.payloads[0]) == [Int](repeating: 0x1FFF, count: 7))
        #expect(filler.track == TrackID(0) && !filler.isKeyframe && !filler.packets[0].isMarked)
        #expect(RTPPackager.filler(.init()) == nil)
    }

    @Test(arguments: [(64, 1), (199, 1), (200, 1), (387, 1), (388, 2), (1327, 6), (1328, 7), (1400, 7), (9000, 7)])
    func aPacketHoldsAsManyTransportPacketsAsFitAndSevenAtMost(maximumPacketBytes: Int, count: Int) throws {
        let options = MPEGTSPackager.Options(maximumPacketBytes: maximumPacketBytes)
        var packager = MPEGTSPackager(tracks: tracks, options: options)
        let run = try #require(package(units(0..<1)[0], with: &packager))
        #expect(run.payloads.map(\.count).max() == count * 188)
        #expect(MPEGTSPackager.filler(options)?.payloads.map(\.count) == [count * 188])
    }

    /// The test macros cannot call mutating functions.
    private func package(_ unit: AccessUnit, with packager: inout MPEGTSPackager) -> PacketRun? {
        packager.package(unit)
    }

    private func transportPackets(_ payload: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: payload.count, by: 188).map { Array(payload[$0..<($0 + 188)]) }
    }

    private func pids(_ payload: [UInt8]) -> [Int] {
        transportPackets(payload).map { Int($0[1] & 0x1F) << 8 | Int($0[2]) }
    }
}
