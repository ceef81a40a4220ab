import RTP
import SDP

/// The identifiers, 1…14, that the peer has given to the header extensions which both sides know (RFC 8285); `nil` for one that packets
/// do not carry.
public struct ExtensionIdentifiers: Hashable, Sendable {
    /// The name of the medium (RFC 8843, section 15).
    public var mid: UInt8?
    /// The number of the packet for transport-wide feedback.
    public var transportSequenceNumber: UInt8?
    /// How long the receiver may hold back a frame.
    public var playoutDelay: UInt8?
    public var absoluteCaptureTime: UInt8?

    /// Takes the wanted extensions that the offer contains. Elements have one byte before the value, so identifiers end at 14.
    init(offered: [ExtensionMap], wanted: [String]) {
        func identifier(_ uri: String) -> UInt8? {
            guard wanted.contains(uri) else { return nil }
            return offered.first { $0.uri == uri && (1...14).contains($0.identifier) }.map { UInt8($0.identifier) }
        }
        mid = identifier(HeaderExtension.mediaIdentification.uri)
        transportSequenceNumber = identifier(HeaderExtension.transportSequenceNumber.uri)
        playoutDelay = identifier(HeaderExtension.playoutDelay.uri)
        absoluteCaptureTime = identifier(AbsoluteCaptureTime.uri)
    }

    /// The lines of an answer.
    var attributes: [Attribute] {
        let all = [
            (mid, HeaderExtension.mediaIdentification.uri),
            (transportSequenceNumber, HeaderExtension.transportSequenceNumber.uri),
            (playoutDelay, HeaderExtension.playoutDelay.uri), (absoluteCaptureTime, AbsoluteCaptureTime.uri),
        ]
        return all.compactMap { identifier, uri in
            identifier.map { ExtensionMap(identifier: UInt16($0), uri: uri).attribute }
        }
    }
}
