import Wire

/// The identification header of Opus (RFC 7845, section 5.1), which enhanced RTMP has as decoder configuration.
enum OpusHead {
    private static let magic = Array("OpusHead".utf8)

    /// The number of channels; `nil` if the header is malformed, or if there are more than two channels, of which the packets have several
    /// streams.
    static func channelCount(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 19, bytes.starts(with: magic), (1...2).contains(bytes[9]), bytes[18] == 0 else {
            return nil
        }
        return Int(bytes[9])
    }

    /// The header for a live stream, without pre-skip and gain.
    static func bytes(channelCount: Int) -> [UInt8] {
        // Version 1; pre-skip 0; input sample rate 48 000 Hz, low byte first; gain 0; mapping family 0.
        magic + [1, UInt8(clamping: channelCount), 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
    }
}
