import Wire

extension H264 {
    /// Supplemental enhancement information (SEI): messages that decoders may ignore (ITU-T H.264, 7.3.2.3). Those of H.265 have the
    /// same form (ITU-T H.265, 7.3.5).
    public enum SupplementalEnhancement {
        /// payloadType (Annex D).
        public enum Message: UInt8, Sendable {
            /// An identifier of 16 bytes and any content (D.1.7).
            case unregisteredUserData = 5
            /// Decoding can start at this picture, although it is no IDR picture (D.1.8; ITU-T H.265, D.2.8).
            case recoveryPoint = 6
        }

        /// A NAL unit with one message.
        public static func unit(_ message: Message, payload: [UInt8]) -> [UInt8] {
            var sequence: [UInt8] = [message.rawValue]
            sequence += [UInt8](repeating: 0xFF, count: payload.count / 255)
            sequence.append(UInt8(payload.count % 255))
            sequence += payload
            // rbsp_trailing_bits: a one, then zeros (7.3.2.11).
            sequence.append(0x80)
            return [NALUnitType.supplementalEnhancement.rawValue] + RawByteSequence.escaped(sequence)
        }

        /// The payloads of all such messages in a NAL unit, in order; empty if the unit is not SEI. Messages behind a truncation
        /// are left out.
        public static func payloads(_ message: Message, in unit: [UInt8]) -> [[UInt8]] {
            guard NALUnitHeader(of: unit)?.type == .supplementalEnhancement else { return [] }
            return payloads(message, in: RawByteSequence(of: unit))
        }

        /// Whether an SEI unit of H.264 or H.265 has such a message.
        ///
        /// - Parameter headerByteCount: of the NAL unit's header.
        public static func isPresent(_ message: Message, in unit: [UInt8], headerByteCount: Int) -> Bool {
            !payloads(message, in: RawByteSequence(of: unit, headerByteCount: headerByteCount)).isEmpty
        }

        private static func payloads(_ message: Message, in sequence: RawByteSequence) -> [[UInt8]] {
            var reader = ByteReader(sequence.bytes.rawSpan)
            var found: [[UInt8]] = []
            while let type = number(&reader), let count = number(&reader), let payload = reader.take(count) {
                if type == message.rawValue { found.append([UInt8](payload)) }
            }
            return found
        }

        /// Reads a number coded as a sum: bytes of 255, then a last byte below 255.
        private static func number(_ reader: inout ByteReader) -> Int? {
            var sum = 0
            while let byte = reader.uint8() {
                sum += Int(byte)
                if byte < 0xFF { return sum }
            }
            return nil
        }
    }
}
