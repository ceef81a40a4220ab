import Media
import Muxing
import TestSupport
import Testing

@Suite struct DemuxerTests {
    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func rewindingAFileGivesTheSamePackets() throws {
        let demuxer = try Demuxer(.file(SharedData.path("video/big-buck-bunny-480p-30s.mp4")))
        #expect(demuxer.tracks.map(\.codecName) == ["h264", "aac"])
        guard case .h264(let sets, lengthSize: 4) = demuxer.tracks[0].format else {
            Issue.record("the file has H.264 with length prefixes")
            return
        }
        #expect(sets.sequence.compactMap(H264.SequenceParameterSet.init(parsing:)).map(\.width) == [854])
        guard case .aac(let configuration, isADTS: false) = demuxer.tracks[1].format else {
            Issue.record("the file has AAC with its configuration in the header")
            return
        }
        #expect(configuration.channelCount == 6 && configuration.sampleRate == .audio48k)
        let first = try packets(demuxer)
        try demuxer.rewind()
        let second = try packets(demuxer)
        // ffprobe -count_packets says 720 and 1408.
        #expect(first.count { $0.track == demuxer.tracks[0].index } == 720)
        #expect(first.count { $0.track == demuxer.tracks[1].index } == 1408)
        #expect(first.map(\.bytes) == second.map(\.bytes))
        #expect(first.map(\.decode) == second.map(\.decode))
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func aRawStreamHasNoTimes() throws {
        let demuxer = try Demuxer(.file(SharedData.path("h264/BA1_FT_C.264")))
        #expect(!demuxer.hasTimes)
        let first = try packets(demuxer)
        try demuxer.rewind()
        let second = try packets(demuxer)
        #expect(first.count == 299 && first.map(\.bytes) == second.map(\.bytes))
    }

    @Test func aFileWithoutMediaIsRejectedWithAReason() throws {
        let failure = #expect(throws: DemuxFailure.self) { _ = try Demuxer(.file(#filePath + ".absent")) }
        #expect(failure?.reason.contains("No such file") == true)
        #expect(throws: DemuxFailure.self) { _ = try Demuxer(.file(#filePath)) }
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func anInterruptedReadFails() throws {
        let interruption = Interruption()
        let demuxer = try Demuxer(
            .file(SharedData.path("video/big-buck-bunny-480p-30s.mp4")), interruption: interruption)
        interruption.interrupt()
        let failure = #expect(throws: DemuxFailure.self) { _ = try packets(demuxer) }
        #expect(failure?.isInterruption == true)
    }

    private func packets(_ demuxer: Demuxer) throws -> [DemuxedPacket] {
        var result: [DemuxedPacket] = []
        while let packet = try demuxer.next() { result.append(packet) }
        return result
    }
}
