import CLinux
import Glibc

extension SocketAddress: CustomStringConvertible {
    /// Parses a numeric address such as `192.0.2.7`, `2001:db8::7` or `fe80::7%eth0`; returns `nil` for names and any other text.
    public init?(_ host: String, port: UInt16) {
        // inet_pton would stop at a NUL and accept the text before it.
        guard !host.utf8.contains(0) else { return nil }
        var ipv4 = in_addr()
        if inet_pton(AF_INET, host, &ipv4) == 1 {
            self.init(ipv4: UInt32(bigEndian: ipv4.s_addr), port: port)
            return
        }
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var ipv6 = in6_addr()
        guard let address = parts.first, inet_pton(AF_INET6, String(address), &ipv6) == 1 else { return nil }
        let scope = parts.count == 2 ? if_nametoindex(String(parts[1])) : 0
        guard parts.count == 1 || scope != 0 else { return nil }
        let bits = withUnsafeBytes(of: ipv6) { $0.load(as: UInt128.self) }
        self.init(ipv6: UInt128(bigEndian: bits), port: port, scope: scope)
    }

    /// The address without brackets, scope and port, as in SDP and `Transport:`: `192.0.2.7`, `2001:db8::7`.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch family {
        case .ipv4:
            var address = ipv4Address
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case .ipv6:
            var address = ipv6Address
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Host and port as in a URL: `192.0.2.7:554`, `[2001:db8::7]:554`.
    public var description: String {
        family == .ipv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
    }

    /// The bytes of the address in network order: 4 or 16.
    public var octets: [UInt8] {
        switch family {
        case .ipv4: withUnsafeBytes(of: ipv4Address) { [UInt8]($0) }
        case .ipv6: withUnsafeBytes(of: ipv6Address) { [UInt8]($0) }
        }
    }
}
