import Media

// A codec in session descriptions: its parameters in `a=fmtp:`, written and read. The files beside this one have one codec each.

extension FormatParameters {
    /// The parameters that describe `format`.
    init(_ format: Track.Format) {
        switch format {
        case .h264(let sets): self.init(sets)
        case .h265(let sets): self.init(sets)
        case .aac(let configuration): self.init(configuration)
        case .opus(let channelCount): self.init(opusChannelCount: channelCount)
        case .g711: self.init([])
        }
    }

    /// What the parameters of `codec` describe.
    func payload(of codec: Codec, _ map: RTPMap) -> DescribedTrack.Payload {
        switch codec {
        case .h264: h264
        case .h265: h265
        case .aac: aac
        case .opus: opus
        case .pcma: map.g711(.a)
        case .pcmu: map.g711(.mu)
        }
    }
}

extension RTPMap {
    /// The encoding of `track` with this payload type.
    init(payloadType: UInt8, _ track: Track) {
        self.init(
            payloadType: payloadType, encodingName: track.codec.facts.encodingName,
            clockRate: UInt32(track.clockRate.hertz), channelCount: Self.channelCount(of: track.format))
    }

    private static func channelCount(of format: Track.Format) -> Int? {
        switch format {
        case .h264, .h265: nil
        case .aac(let configuration): configuration.channelCount > 0 ? configuration.channelCount : nil
        // Always two, whatever the packets contain (RFC 7587, section 7).
        case .opus: 2
        case .g711(let format): format.channelCount > 1 ? format.channelCount : nil
        }
    }

    /// Whether it is MPEG-4 audio in LATM, the payload format that GStreamer sends by default (RFC 6416).
    var isLATM: Bool { encodingName.equalsIgnoringCase("MP4A-LATM") }

    /// Whether it is an MPEG transport stream (RFC 2250, section 2; RFC 3551, section 5.8).
    var isTransportStream: Bool { encodingName.equalsIgnoringCase("MP2T") && clockRate == 90_000 }

    /// `nil` for an encoding that Apus does not carry.
    var codec: Codec? {
        Codec.allCases.first { encodingName.equalsIgnoringCase($0.facts.encodingName) }
    }
}
