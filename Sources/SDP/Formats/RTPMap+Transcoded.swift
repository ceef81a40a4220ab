import Media

extension RTPMap {
    /// The format, if it is one that is received and encoded again; `nil` for all others.
    var transcodedFormat: TranscodedFormat? {
        if encodingName.equalsIgnoringCase("L16") { return l16 }
        if encodingName.equalsIgnoringCase("G722") { return g722 }
        return nil
    }

    /// RFC 2586 allows any rate; sound cards and cameras have 8 to 192 kHz.
    private var l16: TranscodedFormat? {
        guard (4_000...192_000).contains(clockRate), let rate = ClockRate(hertz: Int32(clockRate)),
            (1...8).contains(channelCount ?? 1)
        else { return nil }
        return .l16(sampleRate: rate, channelCount: channelCount ?? 1)
    }

    /// Some senders write the rate of the samples, 16 000, although RFC 3551, section 4.5.2 requires 8000. It cannot be known which
    /// rate their timestamps have, so they are not received.
    private var g722: TranscodedFormat? {
        clockRate == 8_000 && channelCount ?? 1 == 1 ? .g722 : nil
    }
}
