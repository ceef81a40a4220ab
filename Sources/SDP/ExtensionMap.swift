/// An `a=extmap:` line: the number of an RTP header extension (RFC 8285, section 5).
public struct ExtensionMap: Hashable, Sendable {
    /// The number in packets: 1…14 in the one-byte form.
    public let identifier: UInt16
    /// The name of the extension.
    public let uri: String

    public init(identifier: UInt16, uri: String) {
        self.identifier = identifier
        self.uri = uri
    }

    /// Parses `<value>["/"<direction>] <URI> [<attributes>]`; `nil` if malformed.
    init?(_ value: String) {
        let fields = Substring(value).fields
        guard fields.count >= 2, let number = fields[0].pieces(separatedBy: "/").first,
            let number = UInt64(decimal: String(number)), let identifier = UInt16(exactly: number)
        else { return nil }
        self.init(identifier: identifier, uri: String(fields[1]))
    }

    /// The attribute line.
    public var attribute: Attribute { Attribute("extmap", "\(identifier) \(uri)") }
}

extension MediaDescription {
    /// The header extensions that packets may contain.
    public var extensionMaps: [ExtensionMap] { attributes.values(of: "extmap").compactMap { ExtensionMap($0) } }
}
