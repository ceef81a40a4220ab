import Media
import SDP

/// Whether a stream may have this name: it needs no escape in a URL, and is not the name of a track.
func isPathName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard name.utf8.count <= 200, parts.count <= 8, parts.allSatisfy(isPathPart), let first = parts.first,
        let last = parts.last
    else { return false }
    return !TrackID.isControlName(last, maximumDigitCount: .max) && !reservedBeginnings.contains(first)
        && !reservedEnds.contains(last) && !last.hasSuffix(".jpg")
}

/// Whether the name is a pattern of paths that publishers create: the beginning of a path name, and a star.
func isPublishPattern(_ name: String) -> Bool {
    guard name.hasSuffix("*") else { return false }
    let beginning = name.dropLast()
    return beginning.isEmpty || beginning.hasSuffix("/") && isPathName(String(beginning.dropLast()))
}

/// First parts of URLs of the web server, which shares the names of paths.
private let reservedBeginnings: Set<Substring> = ["api", "metrics", "healthz", "readyz"]
/// Last parts of URLs of the web server, behind the path of a stream.
private let reservedEnds: Set<Substring> = [
    "ws", "whep", "whip", "recordings", "index.m3u8", "index.mp4", "clip.mp4",
]

private func isPathPart(_ part: Substring) -> Bool {
    !part.isEmpty && part != "." && part != ".."
        && part.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
            default: false
            }
        }
}
