import Media
import RTSP
import Testing

@Suite struct PortPairTests {
    @Test func eachTrackHasTheNextPair() {
        #expect(PortPair(of: TrackID(0), from: 5004) == PortPair(rtp: 5004, rtcp: 5005))
        #expect(PortPair(of: TrackID(2), from: 5004) == PortPair(rtp: 5008, rtcp: 5009))
        #expect(ChannelPair(number: 0) == ChannelPair(rtp: 0, rtcp: 1))
        #expect(ChannelPair(number: 127) == ChannelPair(rtp: 254, rtcp: 255))
        #expect(PortPair.canBegin(at: 5004) && !PortPair.canBegin(at: 5005))
    }
}
