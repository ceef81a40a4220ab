/// The number that pairs a response with its request (RFC 2326, section 12.17).
public struct CSeq: Hashable, Sendable {
    /// 0…2³¹ − 1.
    public let number: UInt32

    /// `nil` above 2³¹ − 1.
    public init?(_ number: UInt32) {
        guard number <= 0x7FFF_FFFF else { return nil }
        self.number = number
    }

    /// Reads the only `CSeq` of a message; `nil` if there is none, more than one or an invalid one.
    public init?(_ headers: Headers) {
        let values = headers.values(of: .cSeq)
        guard values.count == 1, let number = values[0].decimal(maximumDigits: 10),
            let number = UInt32(exactly: number)
        else { return nil }
        self.init(number)
    }

    /// The header's value.
    public var headerValue: String { String(number) }
}
