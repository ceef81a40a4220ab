import Media

// A codec in session descriptions: its parameters in `a=fmtp:`, written and read. The files beside this one have one codec each.

extension FormatParameters {
    /// The parameters that describe `format`.
    init(_ format: Track.Format) {
        switch format {
        case .h264(let sets): self.init(sets)
        case .h265(let sets): self.init(sets)
        case .aac(let configuration): self.init(configuration)
        }
    }

    /// What the parameters of `codec` describe.
    func payload(of codec: Codec) -> DescribedTrack.Payload {
        switch codec {
        case .h264: h264
        case .h265: h265
        case .aac: aac
        }
    }
}

extension RTPMap {
    /// The encoding of `track` with this payload type.
    init(payloadType: UInt8, _ track: Track) {
        let channelCount = track.format.channelCount ?? 0
        self.init(
            payloadType: payloadType, encodingName: track.codec.facts.encodingName,
            clockRate: UInt32(track.clockRate.hertz), channelCount: channelCount > 0 ? channelCount : nil)
    }

    /// Whether it is MPEG-4 audio in LATM, the payload format that GStreamer sends by default (RFC 6416).
    var isLATM: Bool { encodingName.equalsIgnoringCase("MP4A-LATM") }

    /// `nil` for an encoding that Apus does not carry.
    var codec: Codec? {
        Codec.allCases.first { encodingName.equalsIgnoringCase($0.facts.encodingName) }
    }
}
