import Capture
import RTSPServer

/// The changes of one path that both configurations have.
struct PathDifference: Hashable {
    let name: String
    /// Its own options that have changed, without the name of the path: `video.width`.
    let options: [OptionEffect: [String]]
    /// Whether the directory needs other options for it, because of its own options or of those of the server.
    let arePathOptionsChanged: Bool
    /// Whether its multicast groups, or how they are sent to, have changed.
    let areGroupsChanged: Bool

    /// `nil` if it is served as before. Both configurations must have the path.
    init?(_ name: String, from old: Configuration, to new: Configuration) {
        guard let before = old.servedPaths[name], let after = new.servedPaths[name] else { return nil }
        let (offered, offers) = (PathOptions(name, before, in: old), PathOptions(name, after, in: new))
        self.name = name
        let changes = Schema.path.changes(from: before, to: after, at: .root)
        // A new source is made with all options.
        let isNew = changes.contains { $0.effect == .source } || Self.isDecodingChanged(before, after)
        let isTitleInPicture = before.effects.overlaysTitle || after.effects.overlaysTitle
        options = Dictionary(grouping: changes) { change in
            let effect = change.option.text == "title" && isTitleInPicture ? .encoding : change.effect
            return effect == .encoding && isNew ? .source : effect
        }.mapValues { $0.map(\.option.text) }
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
