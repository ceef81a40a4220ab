import RTP

/// The time at which `script/bench` handed an access unit to the server under test, read from SEI user data.
///
/// The user data consists of `identifier` and the nanoseconds since 1970 as 16 hexadecimal digits, which need no emulation
/// prevention. Every server passes the SEI on, so the measurement is the same for all servers.
enum HandOverTimestamp {
    static let identifier = Array("apus-bench-stamp".utf8)

    /// The hand-over time in the packet with this payload; `nil` if the packet contains none.
    static func unixNanoseconds(in payload: RawSpan) -> Int64? {
        let own = H264Peek.userData(in: payload).first { $0.identifier == identifier }
        guard let digits = own?.content, digits.count == 16 else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
