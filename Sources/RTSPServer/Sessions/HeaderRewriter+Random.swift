import Delivery
import Media
import RTP
import SDP

extension HeaderRewriter {
    /// The RTP numbers of one track of a viewer.
    ///
    /// - Parameter track: `nil` for all tracks in one transport stream.
    static func random(
        payloadTypeOf track: TrackID?, extensions: HeaderExtensionLayout = .none, ssrc: SSRC? = nil,
        using numbers: inout some RandomNumberGenerator
    ) -> HeaderRewriter {
        random(
            track.map { PayloadType(lowBitsOf: $0.payloadType) } ?? .transportStream, extensions: extensions,
            ssrc: ssrc,
            using: &numbers)
    }
}
