import WebRTC

/// What tests of the client have in common.
enum Samples {
    /// A video track with retransmissions and transport-wide feedback, as the answer of a server describes it.
    static func agreement() throws -> PlaybackAgreement {
        let offer = PlaybackOffer(
            credentials: ICECredentials(random: [UInt8](repeating: 4, count: ICECredentials.randomByteCount)),
            fingerprint: DTLSFingerprint(sha256: [UInt8](repeating: 5, count: 32)), sessionID: 1)
        return try PlaybackAgreement(ReceivedAnswer(parsing: Array(answer().utf8)), to: offer)
    }

    /// - Parameter candidates: the values of `a=candidate:`.
    static func answer(_ candidates: [String] = []) -> String {
        """
        v=0\r
        o=- 1 1 IN IP4 0.0.0.0\r
        s=-\r
        t=0 0\r
        a=ice-ufrag:abcd\r
        a=ice-pwd:0123456789012345678901\r
        a=fingerprint:sha-256 \([String](repeating: "0A", count: 32).joined(separator: ":"))\r
        a=setup:passive\r
        m=video 9 UDP/TLS/RTP/SAVPF 96 97\r
        \(candidates.map { "a=candidate:\($0)\r\n" }.joined())a=mid:0\r
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\r
        a=sendonly\r
        a=rtcp-mux\r
        a=ssrc-group:FID 1 2\r
        a=rtpmap:96 H264/90000\r
        a=rtcp-fb:96 nack\r
        a=rtcp-fb:96 nack pli\r
        a=rtcp-fb:96 transport-cc\r
        a=fmtp:96 packetization-mode=1;profile-level-id=42e01f\r
        a=rtpmap:97 rtx/90000\r
        a=fmtp:97 apt=96\r
        m=audio 0 UDP/TLS/RTP/SAVPF 111\r

        """
    }
}
