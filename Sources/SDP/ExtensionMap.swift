/// Which RTP header extension has which number: an `a=extmap:` line (RFC 8285, section 5).
public struct ExtensionMap: Hashable, Sendable {
    /// The number in packets: 1…14 in the one-byte form.
    public let identifier: UInt16
    /// What it is.
    public let uri: String

    public init(identifier: UInt16, uri: String) {
        self.identifier = identifier
        self.uri = uri
    }

    /// Reads `<value>["/"<direction>] <URI> [<attributes>]`; `nil` if it is anything else.
    init?(_ value: String) {
        let fields = Substring(value).fields
        guard fields.count >= 2, let number = fields[0].pieces(separatedBy: "/").first,
            let number = UInt64(decimal: String(number)), let identifier = UInt16(exactly: number)
        else { return nil }
        self.init(identifier: identifier, uri: String(fields[1]))
    }

    /// The line.
    var attribute: Attribute { Attribute("extmap", "\(identifier) \(uri)") }
}

extension MediaDescription {
    /// The header extensions that packets may have.
    public var extensionMaps: [ExtensionMap] { attributes.values(of: "extmap").compactMap { ExtensionMap($0) } }
}
