import Media
import TestSupport
import Testing

@testable import SDP

@Suite struct H265DescriptionTests {
    private static let base64 = (
        vps: Base64.encode(H265Samples.video), sps: Base64.encode(H265Samples.sequence),
        pps: Base64.encode(H265Samples.picture)
    )

    private func payload(_ parameters: String) throws -> DescribedTrack.Payload {
        let text = "v=0\nm=video 0 RTP/AVP 96\na=rtpmap:96 H265/90000\na=fmtp:96 \(parameters)\n"
        return try #require(try SessionDescription(parsing: text).media.first?.describedTrack).payload
    }

    @Test func whatIsWrittenIsRead() throws {
        let track = Track(id: TrackID(0), format: .h265(H265Samples.sets))
        let description = SessionDescription.live(
            title: "t", description: nil, tracks: [track], connection: .unspecified(ipVersion: .ipv4),
            originSessionID: 1, originVersion: 1, originAddress: "127.0.0.1", controls: true)
        let medium = try #require(description.media.first)
        #expect(medium.describedTrack?.track(id: TrackID(0)) == track)
        let (vps, sps, pps) = Self.base64
        #expect(
            medium.formatParameters.text
                == "profile-space=0;profile-id=1;tier-flag=0;level-id=63;sprop-vps=\(vps);sprop-sps=\(sps);sprop-pps=\(pps)"
        )
    }

    @Test func setsMayBeSeveralOrMissing() throws {
        let (vps, sps, pps) = Self.base64
        let sets = try #require(
            H265.ParameterSets(
                video: [H265Samples.video], sequence: [H265Samples.sequence],
                picture: [H265Samples.picture, H265Samples.picture]))
        #expect(
            try payload("sprop-pps=\(pps), \(pps);sprop-vps=\(vps);sprop-sps=\(sps)") == .described(.h265(sets)))
        #expect(try payload("sprop-vps=\(vps);sprop-sps=\(sps)") == .inBand(.h265))
        #expect(try payload("profile-id=1") == .inBand(.h265))
        #expect(try payload("sprop-vps=\(sps);sprop-sps=\(vps);sprop-pps=\(pps)") == .inBand(.h265))
    }

    @Test func decodingOrderNumbersAreRefusedByName() throws {
        #expect(try payload("sprop-max-don-diff=2") == .unsupported("H265 with sprop-max-don-diff=2"))
        #expect(try payload("sprop-depack-buf-nalus=4") == .unsupported("H265 with sprop-depack-buf-nalus=4"))
        #expect(try payload("sprop-max-don-diff=0") == .inBand(.h265))
    }
}
