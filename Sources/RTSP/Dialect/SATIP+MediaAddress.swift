extension SATIP {
    /// Where the media of a client goes whose connection comes from `address`; `nil` where it can go nowhere.
    ///
    /// VLC 3.0's satip access receives on IPv4 sockets only. Of an IPv6 address that is known where it is the IPv4
    /// address in disguise (RFC 4291, section 2.5.5.2), or this very machine.
    ///
    /// - Parameter address: a literal without brackets and scope, as ``Endpoint/address``.
    public static func mediaAddress(forPeer address: String) -> String? {
        guard let address = IPAddress(address) else { return nil }
        if address == .loopback6 { return "127.0.0.1" }
        if case .ipv4 = address { return address.description }
        return nil
    }
}
