import SRTP

extension OutgoingProtection {
    /// A protected packet: its header, and its encrypted payload.
    ///
    /// - Parameter index: The packet's number since the start of the source; its low 16 bits are the header's sequence number.
    public func sealed(_ payload: [UInt8], header: [UInt8], index: UInt64) -> [UInt8] {
        var packet = header + payload + [UInt8](repeating: 0, count: overhead)
        header.withUnsafeBytes { header in
            payload.withUnsafeBytes { payload in
                packet.withUnsafeMutableBytes { packet in
                    guard let start = packet.baseAddress else { return }
                    seal(payload, header: header, index: index, to: start + header.count)
                }
            }
        }
        return packet
    }
}
