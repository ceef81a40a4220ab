extension H264 {
    /// The payload of a NAL unit without its header and without emulation prevention bytes (ITU-T H.264, 7.4.1).
    struct RawByteSequence {
        let bytes: [UInt8]

        /// Reads at most `limit` bytes of the NAL unit: headers lie at the front.
        init(of unit: [UInt8], limit: Int = .max) {
            let end = Swift.min(unit.count, limit)
            var payload: [UInt8] = []
            payload.reserveCapacity(end)
            var zeros = 0
            for index in 1..<Swift.max(end, 1) {
                let byte = unit[index]
                if zeros >= 2 && byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                payload.append(byte)
            }
            bytes = payload
        }
    }
}
