import Wire

/// An event of a User Control Message (Adobe's RTMP specification, sections 6.2 and 7.1.7).
public enum UserControlEvent: Hashable, Sendable {
    /// Media of a stream begins.
    case streamBegin(streamID: UInt32)
    /// The media of a stream has ended.
    case streamEnd(streamID: UInt32)
    /// The source of a stream is silent.
    case streamDry(streamID: UInt32)
    /// The client buffers this much of a stream.
    case setBufferLength(streamID: UInt32, milliseconds: UInt32)
    case streamIsRecorded(streamID: UInt32)
    /// The client must answer with the same number.
    case pingRequest(UInt32)
    case pingResponse(UInt32)

    /// `nil` for an unknown event, which must not end the connection: servers send events that the specification does not list.
    @_lifetime(reader: copy reader)
    init?(reading reader: inout ByteReader) throws(RTMPError) {
        guard let type = reader.uint16() else { throw .truncatedMessage(.userControl) }
        guard [0, 1, 2, 3, 4, 6, 7].contains(type) else { return nil }
        guard let value = reader.uint32() else { throw .truncatedMessage(.userControl) }
        switch type {
        case 0: self = .streamBegin(streamID: value)
        case 1: self = .streamEnd(streamID: value)
        case 2: self = .streamDry(streamID: value)
        case 3:
            guard let milliseconds = reader.uint32() else { throw .truncatedMessage(.userControl) }
            self = .setBufferLength(streamID: value, milliseconds: milliseconds)
        case 4: self = .streamIsRecorded(streamID: value)
        case 6: self = .pingRequest(value)
        default: self = .pingResponse(value)
        }
    }

    func write(to writer: inout ByteWriter) {
        let (type, value): (UInt16, UInt32) =
            switch self {
            case .streamBegin(let stream): (0, stream)
            case .streamEnd(let stream): (1, stream)
            case .streamDry(let stream): (2, stream)
            case .setBufferLength(let stream, _): (3, stream)
            case .streamIsRecorded(let stream): (4, stream)
            case .pingRequest(let number): (6, number)
            case .pingResponse(let number): (7, number)
            }
        writer.uint16(type)
        writer.uint32(value)
        if case .setBufferLength(_, let milliseconds) = self { writer.uint32(milliseconds) }
    }
}
