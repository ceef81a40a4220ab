import Media
import Muxing

extension DemuxedTrack {
    /// What players do not show as it is meant, with the players and the remedy; `nil` if there is nothing to say.
    ///
    /// - Parameter filters: the chain of the path's effects; with any, pictures are coded anew as High 4:2:0 with 8 bits.
    func playerWarning(_ path: String, filters: String) -> String? {
        let warnings = [
            filters.isEmpty ? Self.formatWarning(path, format) : nil, Self.rotationWarning(path, rotation, filters),
        ].compactMap(\.self)
        return warnings.isEmpty ? nil : warnings.joined(separator: ". Also, ")
    }

    private static func formatWarning(_ path: String, _ format: Format) -> String? {
        guard case .h264(let sets, _) = format, let sequence = sets.sequence.first,
            let parameters = H264.SequenceParameterSet(parsing: sequence), let name = parameters.rareFormat
        else { return nil }
        return
            "\(path) is H.264 in \(name) and passes through as it is: only players that decode in software, as ffplay, mpv and "
            + "VLC, can show it; browsers, phones, televisions, recorders and most hardware decoders cannot. For these set "
            + "effects.filters to format=yuv420p, which codes it anew"
    }

    private static func rotationWarning(_ path: String, _ rotation: Int, _ filters: String) -> String? {
        // All chains of `effects.rotate` hold one of these.
        let isTurned = filters.contains("transpose") || filters.contains("hflip,vflip")
        guard rotation != 0, !isTurned else { return nil }
        return "\(path) is to be turned by \(rotation) degrees, which RTSP cannot tell: all players show it unturned. "
            + "Set effects.rotate to \(rotation), which codes it anew"
    }
}

extension H264.SequenceParameterSet {
    /// The format in words if few players support it: other than 4:2:0 (or monochrome) with 8 bits.
    fileprivate var rareFormat: String? {
        let chroma = [0: "4:0:0", 1: "4:2:0", 2: "4:2:2", 3: "4:4:4"][chromaFormat] ?? "another chroma format"
        return chromaFormat == 1 && bitDepth == 8 ? nil : "\(chroma) with \(bitDepth) bits"
    }
}
