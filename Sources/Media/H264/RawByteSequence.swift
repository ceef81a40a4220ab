extension H264 {
    /// The payload of a NAL unit without its header and without emulation prevention bytes (ITU-T H.264, 7.4.1).
    struct RawByteSequence {
        let bytes: [UInt8]

        /// Reads at most `limit` bytes of the NAL unit, because headers are at its start. H.265 has the same escaping and a
        /// longer header.
        init(of unit: [UInt8], headerByteCount: Int = 1, limit: Int = .max) {
            let end = Swift.min(unit.count, limit)
            var payload: [UInt8] = []
            payload.reserveCapacity(end)
            var zeros = 0
            for index in headerByteCount..<Swift.max(end, headerByteCount) {
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

        /// Inserts emulation prevention bytes: a 3 between two zeros and a byte below 4.
        static func escaped(_ bytes: [UInt8]) -> [UInt8] {
            var unit: [UInt8] = []
            unit.reserveCapacity(bytes.count + 4)
            var zeros = 0
            for byte in bytes {
                if zeros >= 2 && byte <= 3 {
                    unit.append(3)
                    zeros = 0
                }
                zeros = byte == 0 ? zeros + 1 : 0
                unit.append(byte)
            }
            return unit
        }
    }
}
