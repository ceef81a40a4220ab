/// The path of a playlist or a segment: `/yard/cam/~0f3c…/all-0.m3u8`.
struct PlaybackAddress {
    /// `/yard/cam`.
    let streamPath: String
    /// The label of the player's session, without the `~`.
    let label: String
    let name: String

    /// The name with which a cache in front of the server asks whether the player may go on, for each of its requests.
    static let permission = "player"

    /// `nil` if the path has another form.
    init?(_ path: String) {
        // By bytes, because a slash and a combining mark behind it are one character.
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count >= 3, let label = Substring(parts[parts.count - 2]).dropPrefix("~"),
            PlaybackSessions.isLabel(label)
        else { return nil }
        streamPath = parts.count == 3 ? "/" : parts.dropLast(2).map { String(Substring($0)) }.joined(separator: "/")
        self.label = String(label)
        name = String(Substring(parts[parts.count - 1]))
    }
}

extension Substring {
    fileprivate func dropPrefix(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
