/// Bounds what is sent to an address before the handshake has proven that the peer receives there: to a multiple of what has come from
/// there, because its source may be forged (RFC 9000, section 8.1 has the same rule). A plain value.
struct AmplificationLimit {
    /// A server's first flight has 0.8 KB, and answers a check and a hello of 0.3 KB together.
    private static let factor = 4

    private var allowance = 0

    /// A check or a datagram of the handshake has come from the address.
    mutating func received(byteCount: Int) { allowance += Self.factor * byteCount }

    /// Takes what a datagram needs; false if it must not be sent.
    mutating func admits(byteCount: Int) -> Bool {
        guard byteCount <= allowance else { return false }
        allowance -= byteCount
        return true
    }
}
