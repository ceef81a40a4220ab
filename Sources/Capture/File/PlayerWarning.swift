import Media
import Muxing

extension DemuxedTrack {
    /// Which players cannot show the track correctly, and the remedy; `nil` if there is no problem.
    ///
    /// - Parameter filters: the path's filter chain; if there is one, video is encoded again as High 4:2:0 with 8 bits.
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
            "\(path) is H.264 with \(name) and passes through unchanged: only software decoders such as ffplay, mpv and VLC can show "
            + "it; browsers, phones, televisions, recorders and most hardware decoders cannot. For these, set effects.filters "
            + "to format=yuv420p, which encodes the video again"
    }

    private static func rotationWarning(_ path: String, _ rotation: Int, _ filters: String) -> String? {
        // Every chain of `effects.rotate` contains one of these.
        let isRotated = filters.contains("transpose") || filters.contains("hflip,vflip")
        guard rotation != 0, !isRotated else { return nil }
        return
            "\(path) is marked as rotated by \(rotation) degrees, which RTSP cannot signal: players show it unrotated. "
            + "Set effects.rotate to \(rotation), which encodes the video again"
    }
}

extension H264.SequenceParameterSet {
    /// The format in words if few players support it: anything but 4:2:0 (or monochrome) with 8 bits.
    fileprivate var rareFormat: String? {
        let chroma = [0: "4:0:0", 1: "4:2:0", 2: "4:2:2", 3: "4:4:4"][chromaFormat] ?? "another chroma format"
        return chromaFormat == 1 && bitDepth == 8 ? nil : "\(chroma) and \(bitDepth) bits"
    }
}
