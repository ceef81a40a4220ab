/// A network: all addresses that share a prefix, such as `192.168.0.0/16` or `2001:db8::/32` (RFC 4632, section 3.1; RFC 4291,
/// section 2.3).
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    private let first: IPAddress
    private let bitCount: Int

    /// Reads an address and its prefix length; without a length, the network is this one address.
    ///
    /// `nil` if the length exceeds the address, or if a bit behind the prefix is set, because that is probably a mistake.
    public init?(_ text: some StringProtocol) {
        let text = Substring(text)
        let (literal, bits) = text.halves(around: "/") ?? (text, "")
        guard let address = IPAddress(literal) else { return nil }
        let width = if case .ipv4 = address { 32 } else { 128 }
        let isWhole = !text.utf8.contains(UInt8(ascii: "/"))
        guard let bitCount = isWhole ? width : bits.decimal(maximumDigits: 3), bitCount <= width else { return nil }
        first = address
        self.bitCount = bitCount
        guard Self.leading(bitCount, of: address) == address else { return nil }
    }

    public func contains(_ address: IPAddress) -> Bool {
        switch (first, address) {
        case (.ipv4, .ipv4), (.ipv6, .ipv6): Self.leading(bitCount, of: address) == first
        default: false
        }
    }

    public var description: String { "\(first)/\(bitCount)" }

    /// `address` with all bits after the first `bitCount` cleared. Shifting by all bits gives 0.
    private static func leading(_ bitCount: Int, of address: IPAddress) -> IPAddress {
        switch address {
        case .ipv4(let bits): .ipv4(bits & ~(UInt32.max >> UInt32(bitCount)))
        case .ipv6(let bits): .ipv6(bits & ~(UInt128.max >> UInt128(bitCount)))
        }
    }
}

/// The addresses from which clients may connect, or to which the server may connect. `denied` takes precedence over `allowed`.
public struct AddressRules: Hashable, Sendable {
    /// All addresses if empty.
    public var allowed: [AddressBlock]
    public var denied: [AddressBlock]

    public init(allowed: [AddressBlock] = [], denied: [AddressBlock] = []) {
        self.allowed = allowed
        self.denied = denied
    }

    /// - Parameter address: `nil` for an unreadable address, which passes only if both lists are empty.
    public func admits(_ address: IPAddress?) -> Bool {
        guard let address else { return allowed.isEmpty && denied.isEmpty }
        return !denied.contains { $0.contains(address) }
            && (allowed.isEmpty || allows(address))
    }

    /// Whether `allowed` names the address.
    public func allows(_ address: IPAddress) -> Bool { allowed.contains { $0.contains(address) } }
}
