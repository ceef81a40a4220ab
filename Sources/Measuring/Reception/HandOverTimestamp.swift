import RTP

/// The instant at which whoever feeds a server handed an access unit over, as that unit itself tells, by SEI user data.
///
/// They are the nanoseconds since 1970 as 16 hexadecimal digits, which need no emulation prevention, behind this identifier. `script/bench` writes it. Any server carries it, so what it tells holds of all alike.
enum HandOverTimestamp {
    static let identifier = Array("apus-bench-stamp".utf8)

    /// Of the unit that the packet with this payload belongs to; `nil` where it does not tell.
    static func unixNanoseconds(in payload: RawSpan) -> Int64? {
        let own = H264Peek.userData(in: payload).first { $0.identifier == identifier }
        guard let digits = own?.content, digits.count == 16 else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
