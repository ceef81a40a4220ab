import Media
import SDP
import Testing

@Suite struct TrackNamesTests {
    @Test func aTrackHasOneNameAndOnePayloadType() {
        for index in 0..<32 {
            let track = TrackID(index)
            #expect(track.controlName == "track\(index + 1)")
            #expect(track.payloadType == UInt8(96 + index))
            #expect(TrackID.isControlName(track.controlName[...]))
        }
    }

    @Test(arguments: ["track", "Track1", "track1a", "track1234", "cam", "", "1"])
    func otherNamesAreNoControlNames(_ name: String) {
        #expect(!TrackID.isControlName(name[...]))
    }

    @Test func theLeadingTrackIsTheFirstVideo() throws {
        let audio = try Track(
            id: TrackID(0), clockRate: .audio48k, format: .aac(#require(.init(parsing: [0x11, 0x90]))))
        let sets = try #require(H264.ParameterSets(sequence: [[0x67, 0x42, 0xC0, 0x1E]], picture: [[0x68, 0xCE]]))
        let video = Track(id: TrackID(1), clockRate: .video, format: .h264(sets))
        #expect([audio, video].leading == video)
        #expect([audio].leading == audio)
        #expect([Track]().leading == nil)
    }
}
