/// Why the bytes of a peer are not RTMP that can be read. The connection must be closed; the description is for its log entry.
public enum RTMPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The handshake asks for another version than 3 (Adobe's RTMP specification, section 5.2.2). Version 6 is RTMPE.
    case unsupportedVersion(UInt8)
    /// A message announces more bytes than a message may have.
    case messageTooLong(byteCount: Int, limit: Int)
    /// The peer uses more chunk streams than a connection may have.
    case tooManyChunkStreams(limit: Int)
    /// The messages that have begun have more bytes together than the limit.
    case tooManyPartialBytes(limit: Int)
    /// A chunk continues a chunk stream that has not begun.
    case chunkWithoutBeginning(chunkStream: Int)
    /// A chunk size of zero, or one with its first bit set (section 5.4.1).
    case invalidChunkSize(UInt32)
    /// A message is shorter than its fields.
    case truncatedMessage(MessageType)
    /// AMF0 data ends inside a value.
    case truncatedData
    /// AMF0 data has a type that no RTMP message uses.
    case unsupportedDataType(UInt8)
    /// AMF0 objects contain each other in more levels than the limit.
    case dataTooDeep(limit: Int)
    /// AMF0 data has more values than the limit.
    case tooManyValues(limit: Int)
    /// A command lacks its name, its transaction, or an argument.
    case malformedCommand(String)

    public var description: String {
        switch self {
        case .unsupportedVersion(let version): "unsupported RTMP version \(version)"
        case .messageTooLong(let byteCount, let limit): "a message of \(byteCount) bytes is longer than \(limit)"
        case .tooManyChunkStreams(let limit): "more than \(limit) chunk streams"
        case .tooManyPartialBytes(let limit): "unfinished messages have more than \(limit) bytes"
        case .chunkWithoutBeginning(let id): "chunk stream \(id) continues, but it has not begun"
        case .invalidChunkSize(let byteCount): "invalid chunk size \(byteCount)"
        case .truncatedMessage(let type): "truncated message of type \(type.rawValue)"
        case .truncatedData: "truncated AMF0 data"
        case .unsupportedDataType(let marker): "unsupported AMF0 type \(marker)"
        case .dataTooDeep(let limit): "AMF0 objects nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "more than \(limit) AMF0 values in a message"
        case .malformedCommand(let name): "malformed command \(name)"
        }
    }
}
