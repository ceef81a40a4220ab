/// The query of a URL as parameters: `audio=0&duration=10` (URL Standard, section 5.1).
public struct Query: Hashable, Sendable {
    public struct Parameter: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    /// In the order of the query. No two have the same name.
    public let parameters: [Parameter]

    /// A real query has under ten parameters.
    static let maximumCount = 32

    /// `nil` for an invalid encoding, too many parameters, or two of the same name, which would be ambiguous.
    public init?(_ text: String) { self.init(bytes: Array(text.utf8)[...]) }

    init?(bytes: ArraySlice<UInt8>) {
        var parameters: [Parameter] = []
        for piece in bytes.split(separator: UInt8(ascii: "&")) {
            let end = piece.firstIndex(of: UInt8(ascii: "=")) ?? piece.endIndex
            guard let name = Self.decoded(piece[..<end]), let value = Self.decoded(piece[end...].dropFirst()),
                !parameters.contains(where: { $0.name == name }), parameters.count < Self.maximumCount
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        self.parameters = parameters
    }

    /// The value of a parameter; `nil` if the query does not contain it.
    public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The names that are not among `known`.
    public func names(except known: [String]) -> [String] { parameters.map(\.name).filter { !known.contains($0) } }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        percentDecoded(bytes.lazy.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    }
}
