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
        let (bytes, slash) = (path.utf8, UInt8(ascii: "/"))
        guard let last = bytes.lastIndex(of: slash), let middle = bytes[..<last].lastIndex(of: slash) else {
            return nil
        }
        let player = bytes[bytes.index(after: middle)..<last]
        guard player.first == UInt8(ascii: "~"), PlaybackSessions.isLabel(player.dropFirst()) else { return nil }
        streamPath = middle == bytes.startIndex ? "/" : String(Substring(bytes[..<middle]))
        label = String(Substring(player.dropFirst()))
        name = String(Substring(bytes[bytes.index(after: last)...]))
    }
}
