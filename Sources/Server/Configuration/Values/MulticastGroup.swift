/// An IPv4 multicast address: 224.0.0.0 to 239.255.255.255 (RFC 5771).
public struct MulticastGroup: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address as a number, most significant octet first.
    public let address: UInt32

    /// In the organization-local scope (RFC 2365), which routers do not forward to other organizations.
    static let firstDefault = Self(address: 0xEFFF_2A01)
    static let lastDefault = Self(address: 0xEFFF_2AFE)

    private init(address: UInt32) {
        self.address = address
    }

    /// The group that `text` names in dotted decimal notation; `nil` for other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let octets = parts.compactMap { $0.allSatisfy(\.isNumber) ? UInt8($0) : nil }
        guard parts.count == 4, octets.count == 4, (224...239).contains(octets[0]) else { return nil }
        address = octets.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The group `offset` above this one; `nil` if there is none.
    public func advanced(by offset: Int) -> Self? {
        guard let step = UInt32(exactly: offset) else { return nil }
        let (sum, overflow) = address.addingReportingOverflow(step)
        return overflow || sum >> 28 != 0xE ? nil : Self(address: sum)
    }

    public static func < (left: Self, right: Self) -> Bool { left.address < right.address }

    public var description: String {
        [24, 16, 8, 0].map { String(address >> $0 & 0xFF) }.joined(separator: ".")
    }
}
