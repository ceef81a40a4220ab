import SDP

/// Why the answer of a server cannot be used: a sentence without a full stop.
public enum AnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed(SessionDescription.ParseError)
    case tooLong(byteCount: Int, limit: Int)
    case tooManyMedia(Int, limit: Int)
    /// An attribute that WebRTC needs is missing or malformed.
    case missing(String)
    /// The server sends nothing of what was offered.
    case nothingSent
    /// The server sends a medium in a way that was not offered.
    case unusable(String)

    init(_ error: OfferError) {
        self =
            switch error {
            case .malformed(let error): .malformed(error)
            case .tooLong(let byteCount, let limit): .tooLong(byteCount: byteCount, limit: limit)
            case .tooManyMedia(let count, let limit): .tooManyMedia(count, limit: limit)
            case .missing(let attribute): .missing(attribute)
            case .attributeTooLong(let name, let limit):
                .unusable("the answer has an a=\(name) of more than \(limit) bytes")
            case .notMultiplexed(let reason), .nothingInCommon(let reason), .tooMuch(let reason): .unusable(reason)
            }
    }

    public var description: String {
        switch self {
        case .malformed(let error): "the answer is malformed: \(error)"
        case .tooLong(let byteCount, let limit): "the answer has \(byteCount) bytes, more than \(limit)"
        case .tooManyMedia(let count, let limit): "the answer has \(count) media, more than \(limit)"
        case .missing(let attribute): "the answer has no valid \(attribute)"
        case .nothingSent: "the answer sends neither video nor audio"
        case .unusable(let reason): reason
        }
    }
}
