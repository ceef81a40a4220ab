import Fuzzing
import HLS

/// Properties of playlists that a client of HLS reads: positions rise, numbers are bounded, and no URI is empty or has several lines.
/// Other line ends change nothing.
@Sendable func fuzzPlaylists(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    do throws(ReceivedPlaylist.Failure) {
        let playlist = try ReceivedPlaylist(text)
        switch playlist {
        case .qualities(let uris):
            require(!uris.isEmpty && uris.allSatisfy(isURI), "a multivariant playlist has qualities")
        case .media(let media):
            for resources in [media.segments, media.parts] {
                require(
                    zip(resources, resources.dropFirst()).allSatisfy { $0.position < $1.position }, "positions rise")
                require(resources.allSatisfy { isURI($0.uri) && isURI($0.initURI ?? $0.uri) }, "a URI is one line")
            }
            require(media.targetSeconds >= 0 && media.targetSeconds < 10_000_000_000_000_000, "numbers are bounded")
        }
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        if !lines.contains(where: { $0.last == 0x0D }) {
            let other = lines.map { String(Substring($0)) }.joined(separator: "\r\n")
            let isSame = try ReceivedPlaylist(other) == playlist
            require(isSame, "line ends do not matter")
        }
    } catch {
        require(!error.description.isEmpty, "a refusal has a reason")
    }
}

private func isURI(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(0x0A) }
