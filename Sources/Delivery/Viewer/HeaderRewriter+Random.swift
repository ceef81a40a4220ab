import RTP

extension HeaderRewriter {
    /// The RTP numbers of one track of a viewer: random SSRC, first sequence number and timestamp (RFC 3550, section 5.1).
    ///
    /// - Parameters:
    ///   - payloadType: that of one track, or of all tracks in one transport stream. The first sequence number is not 0, because
    ///     VLC's SAT>IP access takes that for a duplicate.
    ///   - ssrc: the SSRC of a track that SRTP protects. The client has to guess how often sequence numbers have wrapped. They begin
    ///     in the lower half, so that the guess is right even if the first packets are lost (RFC 3711, section 3.3.1).
    public static func random(
        _ payloadType: PayloadType, extensions: HeaderExtensionLayout = .none, ssrc: SSRC? = nil,
        using numbers: inout some RandomNumberGenerator
    ) -> HeaderRewriter {
        HeaderRewriter(
            payloadType: payloadType, ssrc: ssrc ?? SSRC(numbers.next()),
            firstSequenceNumber: SequenceNumber(.random(in: 1...(ssrc == nil ? 0xFFFF : 0x7FFF), using: &numbers)),
            timestampOffset: numbers.next(),
            // VLC's SAT>IP access always reads a header of 12 bytes.
            extensions: payloadType == .transportStream ? .none : extensions)
    }
}
