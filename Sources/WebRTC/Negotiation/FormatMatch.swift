import Media
import SDP

/// Which of the offered formats a track of a stream can be sent in.
enum FormatMatch {
    case format(OfferedFormat)
    /// None, with the reason: a sentence without a full stop.
    case none(String)

    init(of format: Track.Format, in offered: [OfferedFormat]) {
        let named = offered.filter { $0.isNamed(format.codec.facts.encodingName.lowercased()) }
        guard !named.isEmpty else {
            self = .none("the stream has \(format.summary), which this browser did not offer")
            return
        }
        switch format {
        case .h264(let sets): self = Self.h264(sets, in: named)
        case .h265(let sets): self = Self.h265(sets, in: named)
        case .opus: self = Self.first(of: named, format) { $0.map.clockRate == 48_000 && $0.map.channelCount == 2 }
        case .g711(let g711):
            self = Self.first(of: named, format) {
                $0.map.clockRate == UInt32(g711.sampleRate.hertz) && ($0.map.channelCount ?? 1) == g711.channelCount
            }
        // No browser offers AAC, and its description has no offered form.
        case .aac: self = .none("the stream has \(format.summary), which WebRTC does not carry")
        }
    }

    private static func first(
        of offered: [OfferedFormat], _ format: Track.Format, where fits: (OfferedFormat) -> Bool
    ) -> FormatMatch {
        offered.first(where: fits).map(FormatMatch.format)
            ?? .none("the stream has \(format.summary), which this browser did not offer in this form")
    }

    /// The format whose profile is the nearest. Its payload must be allowed to contain parts of NAL units.
    private static func h264(_ sets: H264.ParameterSets, in offered: [OfferedFormat]) -> FormatMatch {
        let sequences = sets.sequence.compactMap { H264.SequenceParameterSet(parsing: $0) }
        guard sequences.allSatisfy({ $0.usability?.reorderedFrames ?? 0 == 0 }) else {
            return .none(reorderingReason(of: .h264(sets)))
        }
        let fragmenting = offered.filter(\.allowsFragments)
        guard !fragmenting.isEmpty else {
            return .none("this browser did not offer H.264 with packetization-mode=1")
        }
        guard let profile = H264Profile(profileLevelID: sets.profileLevelID) else {
            return .none(
                "the stream has H.264 with profile \(sets.profileLevelID >> 16), which browsers do not receive")
        }
        for acceptable in profile.acceptable {
            if let format = fragmenting.first(where: { $0.h264Profile == acceptable }) { return .format(format) }
        }
        return .none("this browser did not offer the H.264 profile of the stream, \(sets.profileLevelID >> 16)")
    }

    /// Why a track with B-frames is not sent: browsers show the frames of WebRTC in the order of arrival, so they decode few.
    static func reorderingReason(of format: Track.Format) -> String {
        "the stream has \(format.summary) with B-frames, which browsers do not decode over WebRTC; "
            + "a substream (source: stream:PATH) is encoded without them"
    }

    /// The format with the profile and the tier of the stream; missing parameters mean Main, the main tier and level 3.1 (RFC 7798,
    /// section 7.1). The level is not compared, because decoders do not stop at the one that they announce.
    private static func h265(_ sets: H265.ParameterSets, in offered: [OfferedFormat]) -> FormatMatch {
        let sequences = sets.sequence.compactMap { H265.SequenceParameterSet(parsing: $0) }
        guard sequences.allSatisfy({ $0.reorderedPictures == 0 }) else {
            return .none(reorderingReason(of: .h265(sets)))
        }
        let profile = sets.profile
        let fitting = offered.first {
            ($0.number("profile-id") ?? 1) == Int(profile.profile)
                && ($0.number("tier-flag") ?? 0) >= (profile.isHighTier ? 1 : 0)
                && ($0.parameters["tx-mode"] ?? "SRST") == "SRST"
        }
        return fitting.map(FormatMatch.format)
            ?? .none("this browser did not offer the H.265 profile of the stream, \(profile.profile)")
    }
}

extension OfferedFormat {
    /// The parameters of the format in the answer. The profile is the offered one, because a browser refuses any other.
    func answered(for format: Track.Format) -> String {
        guard case .opus(let channelCount) = format else { return parameters.text }
        let offered = parameters.all.filter { $0.name != "stereo" && $0.name != "sprop-stereo" }
        let stereo = channelCount > 1 ? "1" : "0"
        return FormatParameters(offered + [(name: "stereo", value: stereo), (name: "sprop-stereo", value: stereo)]).text
    }
}
