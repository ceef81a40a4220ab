/// The UDP ports for RTP and RTCP, in the format of `--udp-ports`: `6970-7169`.
public struct UDPPortRange: Hashable, Sendable {
    let first: Int
    let last: Int

    /// `nil` if `text` is not two ports from 1024 to 65535, ascending, with a hyphen between them.
    public init?(_ text: String) {
        let ports = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard ports.count == 2, let first = ports[0], let last = ports[1],
            (1024...65_534).contains(first), (1025...65_535).contains(last), first < last
        else { return nil }
        (self.first, self.last) = (first, last)
    }
}

extension Configuration {
    /// Uses the UDP ports of the command line instead of those of the file.
    public mutating func use(_ ports: UDPPortRange) {
        rtp.firstUDPPort = ports.first
        rtp.lastUDPPort = ports.last
    }
}
