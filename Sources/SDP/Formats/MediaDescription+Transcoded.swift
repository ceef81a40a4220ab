import Media

extension MediaDescription {
    /// The format, if it is one that is received and encoded again; `nil` for all others.
    func transcodedFormat(_ map: RTPMap) -> TranscodedFormat? {
        if map.encodingName.equalsIgnoringCase("L16") { return map.l16.map { .audio($0) } }
        if map.encodingName.equalsIgnoringCase("G722") { return map.g722.map { .audio($0) } }
        if map.encodingName.equalsIgnoringCase("JPEG"), map.clockRate == 90_000 {
            return .motionJPEG(size: frameSize)
        }
        return nil
    }

    /// The size of frames that are larger than 2040 pixels, as cameras (ONVIF Streaming Specification, 5.1.3.2) and GStreamer describe
    /// it: `x-dimensions:2592,1944`.
    private var frameSize: TranscodedFormat.PixelSize? {
        guard let (width, height) = attributes.value(of: "x-dimensions").flatMap({ Substring($0).divided(at: ",") }),
            let width = UInt64(decimal: String(width.trimmed)).flatMap(Int.init(exactly:)),
            let height = UInt64(decimal: String(height.trimmed)).flatMap(Int.init(exactly:))
        else { return nil }
        return TranscodedFormat.PixelSize(width: width, height: height)
    }
}

extension RTPMap {
    /// RFC 2586 allows any rate; sound cards and cameras have 8 to 192 kHz.
    fileprivate var l16: TranscodedFormat.Audio? {
        guard (4_000...192_000).contains(clockRate), let rate = ClockRate(hertz: Int32(clockRate)),
            (1...8).contains(channelCount ?? 1)
        else { return nil }
        return .l16(sampleRate: rate, channelCount: channelCount ?? 1)
    }

    /// Some senders write the rate of the samples, 16 000, although RFC 3551, section 4.5.2 requires 8000. It cannot be known which
    /// rate their timestamps have, so they are not received.
    fileprivate var g722: TranscodedFormat.Audio? {
        clockRate == 8_000 && channelCount ?? 1 == 1 ? .g722 : nil
    }
}
