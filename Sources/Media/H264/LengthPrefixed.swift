extension H264 {
    /// NAL units with length prefixes, as in MP4 and Matroska (ISO/IEC 14496-15, 5.3.4.2).
    public enum LengthPrefixed {
        /// The ranges of the NAL units of one sample in `bytes`. Empty units are skipped.
        ///
        /// `lengthSize` is the number of bytes of each length field, 1 to 4. A truncated last unit is kept in part and
        /// sets `isDamaged`.
        public static func units(in bytes: [UInt8], lengthSize: Int) -> (ranges: [Range<Int>], isDamaged: Bool) {
            guard (1...4).contains(lengthSize) else { return ([], true) }
            var ranges: [Range<Int>] = []
            var offset = 0
            while bytes.count - offset >= lengthSize {
                var length = 0
                // At most four bytes: fits in 32 bits.
                for index in 0..<lengthSize { length = length << 8 | Int(bytes[offset + index]) }
                offset += lengthSize
                let end = offset + Swift.min(length, bytes.count - offset)
                if end > offset { ranges.append(offset..<end) }
                if length > end - offset { return (ranges, true) }
                offset = end
            }
            return (ranges, offset != bytes.count)
        }
    }
}
