import Media

/// H.265 (RFC 7798, section 7.1).
extension FormatParameters {
    init(_ sets: H265.ParameterSets) {
        let profile = sets.profile
        var parameters = [
            ("profile-space", "\(profile.space)"), ("profile-id", "\(profile.profile)"),
            ("tier-flag", profile.isHighTier ? "1" : "0"), ("level-id", "\(profile.level)"),
        ]
        let units = [("sprop-vps", sets.video), ("sprop-sps", sets.sequence), ("sprop-pps", sets.picture)]
            .map { name, units in (name, units.map(Base64.encode).joined(separator: ",")) }
        if units.reduce(0, { $0 + $1.1.utf8.count }) <= Self.parameterSetLimit { parameters += units }
        self.init(parameters.map { (name: $0, value: $1) })
    }

    /// H.265 in decoding order, with the parameter sets if the description contains them.
    var h265: DescribedTrack.Payload {
        // With other values, packets may be interleaved, and they contain decoding order numbers (section 4.4).
        for name in ["sprop-max-don-diff", "sprop-depack-buf-nalus"] where number(name) ?? 0 > 0 {
            return .unsupported("H265 with \(name)=\(number(name) ?? 0)")
        }
        let units = { (name: String) in
            Substring(self[name] ?? "").pieces(separatedBy: ",")
                .compactMap { Base64.decode($0.trimmed) }.map(\.withoutStartCodes)
        }
        let sets = H265.ParameterSets(
            video: units("sprop-vps"), sequence: units("sprop-sps"), picture: units("sprop-pps"))
        return sets.map { .described(.h265($0)) } ?? .inBand(.h265)
    }
}
