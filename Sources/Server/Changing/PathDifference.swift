import Capture
import RTSPServer

/// The changes of one path that both configurations have.
struct PathDifference: Hashable {
    /// The effect that the change of an option has on the path.
    enum Effect: CaseIterable {
        /// New viewers get other options.
        case newViewers
        /// Its multicast groups change.
        case groups
        /// Its source continues with other settings.
        case encoding
        /// A new source replaces the present one, on the same stream.
        case source

        /// - Parameter option: the option without the name of the path: `video.width`.
        init(of option: String) {
            switch option.prefix(while: { $0 != "." }) {
            case "title", "description", "join", "absoluteCaptureTime": self = .newViewers
            case "multicast", "multicastTransportStream": self = .groups
            case "video", "effects", "camera", "timestamps": self = .encoding
            // For an option that is not listed above, a new source is always correct.
            default: self = .source
            }
        }
    }

    let name: String
    /// Its own options that have changed, without the name of the path: `video.width`.
    let options: [Effect: [String]]
    /// Whether the directory needs other options for it, because of its own options or of those of the server.
    let arePathOptionsChanged: Bool
    /// Whether its multicast groups, or how they are sent to, have changed.
    let areGroupsChanged: Bool

    /// `nil` if it is served as before. Both configurations must have the path.
    init?(_ name: String, from old: Configuration, to new: Configuration) {
        guard let before = old.servedPaths[name], let after = new.servedPaths[name] else { return nil }
        let (offered, offers) = (PathOptions(name, before, in: old), PathOptions(name, after, in: new))
        self.name = name
        let changes = Schema.path.changes(from: before, to: after, at: .root).map(\.text)
        // A new source is made with all options.
        let isNew = changes.contains { Effect(of: $0) == .source } || Self.isDecodingChanged(before, after)
        let isTitleInPicture = before.effects.overlaysTitle || after.effects.overlaysTitle
        options = Dictionary(grouping: changes) { option in
            let effect = option == "title" && isTitleInPicture ? .encoding : Effect(of: option)
            return effect == .encoding && isNew ? .source : effect
        }
        arePathOptionsChanged = offered != offers
        areGroupsChanged =
            offered.multicast != offers.multicast
            || offered.multicastTransportStream != offers.multicastTransportStream
        if options.isEmpty, !arePathOptionsChanged { return nil }
    }

    /// Whether H.264 is sent as it is with one of the two, and decoded for effects with the other, or whether one of the two has a
    /// machine timestamp, which files cannot have. Both are decided when a file or device is opened.
    private static func isDecodingChanged(_ before: Configuration.Path, _ after: Configuration.Path) -> Bool {
        guard case .path = after.source else { return false }
        let (old, new) = (EncodingSettings(before), EncodingSettings(after))
        return old.hasEffects != new.hasEffects || (old.timestampOverlay == nil) != (new.timestampOverlay == nil)
    }

    /// Whether a new source replaces the present one.
    var isSourceChanged: Bool { options[.source] != nil }
}
