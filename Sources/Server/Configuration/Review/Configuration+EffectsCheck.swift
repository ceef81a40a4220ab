import Capture
import Media

extension Configuration {
    /// Notes effects that do not work. Filters are tested with grey frames of the path's size.
    ///
    /// - Parameter option: the full name of the option section that configures `path`; notes are reported below it.
    func noteEffects(of path: Path, at option: OptionPath, in reading: inout Reading) {
        let effects = path.effects
        guard effects != Effects() else { return }
        let section = option + "effects"
        for (index, mask) in effects.privacyMasks.enumerated() where !mask.isWithin(path.video.size) {
            reading.note(
                "exceeds the frame, which is \(path.video.width)x\(path.video.height)",
                with: section + "privacyMasks" + "\(index + 1)")
        }
        if path.source == .standardInput {
            reading.note(
                "standard input is not decoded if it is H.264 or H.265, so it cannot have effects", with: section)
        }
        switch path.source {
        case .publish, .track:
            reading.note("a published stream is not decoded, so it cannot have effects", with: section)
        case .pulled, .pulledRTMP, .pulledSRT:
            reading.note("the stream of another server is not decoded, so it cannot have effects", with: section)
        default: break
        }
        if effects.overlaysTitle, path.title.allSatisfy({ $0 == " " }) {
            reading.note("shows the title, but \((option + "title").text) is empty", with: section + "overlay")
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
            "machineTimestamp needs a frame of at least \(least.width)x\(least.height), not \(path.video.width)x"
                + "\(path.video.height)",
            with: section + "overlay")
    }

    private func noteFilters(of path: Path, at section: OptionPath, in reading: inout Reading) {
        // An odd size is noted elsewhere, and filters cannot be tested with it.
        guard path.video.width.isMultiple(of: 2), path.video.height.isMultiple(of: 2) else { return }
        guard path.effects.filters.hasBalancedQuotes else {
            return reading.note("ends inside quotes or with a backslash", with: section + "filters")
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
    /// Whether the overlay shows the path's title.
    var overlaysTitle: Bool { overlay == .title || overlay == .both }
}

extension String {
    /// Whether all quotes and escapes of a filter chain are complete. Otherwise the filters after it would become part of it.
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
