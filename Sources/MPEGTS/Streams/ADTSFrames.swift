import Media

/// AAC in ADTS frames (ISO/IEC 14496-3, 1.A.2.2).
struct ADTSFrames: AudioFraming {
    mutating func frame(at start: Int, in bytes: [UInt8]) -> AudioFrameReading {
        guard bytes[start] == 0xFF else { return .invalid }
        let head = Array(bytes[start...].prefix(ADTSFraming.headerByteCount))
        guard head.count == ADTSFraming.headerByteCount else { return .incomplete }
        guard let header = AAC.ADTSHeader(parsing: head) else { return .invalid }
        let end = start + header.frameLength
        guard end <= bytes.count else { return .incomplete }
        return .frame(
            AudioFrame(
                byteCount: header.frameLength, blocks: [Array(bytes[(start + header.byteCount)..<end])],
                samplesPerBlock: AAC.samplesPerAccessUnit, format: .aac(header.configuration)))
    }
}
