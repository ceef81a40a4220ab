import SDP

/// Why an offer is refused: a sentence for the person who watches or publishes, without a full stop.
public enum OfferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offer cannot be read.
    case malformed(SessionDescription.ParseError)
    /// The offer, or a fragment of candidates, is longer than the limit.
    case tooLong(byteCount: Int, limit: Int)
    /// The offer has more media than the limit.
    case tooManyMedia(Int, limit: Int)
    /// The offer lacks an attribute that WebRTC needs, or its value is malformed.
    case missing(String)
    /// An attribute is longer than the limit, in bytes.
    case attributeTooLong(String, limit: Int)
    /// The offer puts media on several transports, or RTCP on a port of its own.
    case notMultiplexed(String)
    /// The stream and the offer have nothing in common.
    case nothingInCommon(String)
    /// The offer has more than a publisher may send.
    case tooMuch(String)

    /// The status of the response: the offer cannot be read, or it can be read but not accepted.
    public var status: Int {
        switch self {
        case .malformed, .missing, .attributeTooLong: 400
        case .tooLong, .tooManyMedia: 413
        case .notMultiplexed, .nothingInCommon, .tooMuch: 422
        }
    }

    public var description: String {
        switch self {
        case .malformed(let error): "\(error)"
        case .tooLong(let byteCount, let limit): "the body has \(byteCount) bytes, more than \(limit)"
        case .tooManyMedia(let count, let limit): "the offer has \(count) media, more than \(limit)"
        case .missing(let attribute): "the offer has no valid \(attribute)"
        case .attributeTooLong(let name, let limit): "the offer has an a=\(name) of more than \(limit) bytes"
        case .notMultiplexed(let reason), .nothingInCommon(let reason), .tooMuch(let reason): reason
        }
    }
}
