/// Why no access units can be made of what comes as an MPEG transport stream.
public enum TransportStreamFault: Hashable, Sendable, CustomStringConvertible {
    case noTransportPackets
    case noProgram
    /// The program's streams have other formats, with these names.
    case noSupportedFormat([String])
    case isEncrypted

    public var description: String {
        switch self {
        case .noTransportPackets: "what comes is no MPEG transport stream"
        case .noProgram: "the transport stream has no program: no PAT or no PMT has come"
        case .noSupportedFormat(let names):
            "the transport stream has no supported codec, only \(names.joined(separator: ", "))"
        case .isEncrypted: "the transport stream is encrypted"
        }
    }
}
