import Capture
import RTSPServer

/// What has changed of one path that stays.
struct PathDifference: Hashable {
    /// What the change of an option does to the path.
    enum Effect: CaseIterable {
        /// Who comes from now on is told otherwise.
        case newViewers
        /// Its groups are others now, or none.
        case groups
        /// Its source goes on with it.
        case encoding
        /// Another source takes the place of its own, on the same stream.
        case source

        /// - Parameter option: below the path, as `video.width`.
        init(of option: String) {
            switch option.prefix(while: { $0 != "." }) {
            case "title", "description", "join", "absoluteCaptureTime": self = .newViewers
            case "multicast", "multicastTransportStream": self = .groups
            case "video", "effects", "camera", "timestamps": self = .encoding
            // What nobody has thought of yet is safe with a source that is made for it.
            default: self = .source
            }
        }
    }

    let name: String
    /// Its own options that have changed, below the path: `video.width`.
    let options: [Effect: [String]]
    /// Whether the directory is to have other options for it: for its own options' sake, or the whole server's.
    let arePathOptionsChanged: Bool
    /// Whether its groups, or how they are sent to, are others.
    let areGroupsChanged: Bool

    /// `nil` where it is served as before. Both configurations have the path.
    init?(_ name: String, from old: Configuration, to new: Configuration) {
        guard let before = old.servedPaths[name], let after = new.servedPaths[name] else { return nil }
        let (offered, offers) = (PathOptions(name, before, in: old), PathOptions(name, after, in: new))
        self.name = name
        let changes = Schema.path.changes(from: before, to: after, at: .root).map(\.text)
        // A source that is made anew is made with all of them.
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

    /// Whether H.264 passes through in one of the two, and is decoded for its effects in the other, or one is to have a block
    /// code, which files cannot: that is settled when a file or device is opened.
    private static func isDecodingChanged(_ before: Configuration.Path, _ after: Configuration.Path) -> Bool {
        guard case .path = after.source else { return false }
        let (old, new) = (EncodingSettings(before), EncodingSettings(after))
        return old.hasEffects != new.hasEffects || (old.timestampOverlay == nil) != (new.timestampOverlay == nil)
    }

    /// Whether another source takes the place of its own.
    var isSourceChanged: Bool { options[.source] != nil }
}
