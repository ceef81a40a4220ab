/// An address over UDP at which a server can be reached, as its answer names it (RFC 8839, section 5.1).
public struct RemoteCandidate: Hashable, Sendable {
    /// An IPv4 or IPv6 literal, or a name that only the server's network knows.
    public let address: String
    public let port: UInt16
    /// The server's preference: the highest is the best.
    public let priority: UInt32

    /// Parses the value of `a=candidate:`; `nil` if malformed, or if it is not of RTP over UDP.
    init?(_ value: String) {
        let fields = value.fields
        // Component 1 is RTP.
        guard fields.count >= 8, fields[1] == "1", fields[2].lowercased() == "udp", let priority = UInt32(fields[3]),
            let port = UInt16(fields[5]), port > 0, fields[6].lowercased() == "typ"
        else { return nil }
        (address, self.port, self.priority) = (fields[4], port, priority)
    }
}
