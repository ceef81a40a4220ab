import Capture
import Media

extension Configuration {
    /// Notes effects that cannot be had. Filters are tried on pictures of the path's size, with some of grey.
    ///
    /// - Parameter option: the way to the path.
    func noteEffects(of path: Path, at option: OptionPath, in reading: inout Reading) {
        let effects = path.effects
        guard effects != Effects() else { return }
        let section = option + "effects"
        for (index, mask) in effects.privacyMasks.enumerated() where !mask.isWithin(path.video.size) {
            reading.note(
                "reaches beyond the picture of \(path.video.width)x\(path.video.height)",
                with: section + "privacyMasks" + "\(index + 1)")
        }
        if path.source == .standardInput {
            reading.note("standard input is H.264 that passes through as it comes: there is no picture", with: section)
        }
        if effects.overlaysTitle, path.title.allSatisfy({ $0 == " " }) {
            reading.note("the title is to be shown, and \((option + "title").text) is empty", with: section + "overlay")
        }
        noteBlockCode(of: path, at: section, in: &reading)
        noteFilters(of: path, at: section, in: &reading)
    }

    private func noteBlockCode(of path: Path, at section: OptionPath, in reading: inout Reading) {
        let least = TimestampOverlay.Placement.minimumExtent
        guard path.effects.overlay == .timestampOverlay,
            path.video.width < least.width || path.video.height < least.height
        else { return }
        reading.note(
            "the block code needs a picture of \(least.width)x\(least.height) at least, not \(path.video.width)x"
                + "\(path.video.height)",
            with: section + "overlay")
    }

    private func noteFilters(of path: Path, at section: OptionPath, in reading: inout Reading) {
        // An odd size has been noted, and no filter can be tried on it.
        guard path.video.width.isMultiple(of: 2), path.video.height.isMultiple(of: 2) else { return }
        guard path.effects.filters.hasBalancedQuotes else {
            return reading.note("ends within quotes, or with a backslash", with: section + "filters")
        }
        var withoutText = path
        withoutText.effects.overlay = .none
        if let reason = withoutText.refusalOfEffects {
            reading.note(reason, with: path.effects.filters.isEmpty ? section : section + "filters")
        } else if path.effects.overlay != .none, let reason = path.refusalOfEffects {
            reading.note(reason, with: section + "overlay")
        }
    }
}

extension Configuration.Path {
    fileprivate var refusalOfEffects: String? {
        EncodingSettings(self).filterFailure.map { $0.reason + ($0.remedy.isEmpty ? "" : "; \($0.remedy)") }
    }
}

extension Configuration.Effects {
    /// Whether the path's title is part of the picture.
    var overlaysTitle: Bool { overlay == .title || overlay == .both }
}

extension String {
    /// Whether all quotes and backslashes of a chain are complete, so that what follows it is not taken for a part of it.
    fileprivate var hasBalancedQuotes: Bool {
        var (isQuoted, isEscaped) = (false, false)
        for scalar in unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if scalar == "'" {
                isQuoted.toggle()
            } else if scalar == "\\", !isQuoted {
                isEscaped = true
            }
        }
        return !isQuoted && !isEscaped
    }
}
