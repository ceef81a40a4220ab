import Media
import SDP

/// What was read is written so that it reads the same; tracks that were recognised, and header extensions, survive being described
/// by us.
@Sendable func fuzzSDP(_ input: [UInt8]) {
    let description: SessionDescription
    do throws(SessionDescription.ParseError) {
        description = try SessionDescription(parsing: input)
    } catch {
        require(error.line >= 1, "an error names a line")
        return
    }
    // Three bytes may stand for one that was no UTF-8: then the text may be past the limit.
    guard description.text.utf8.count <= SessionDescription.byteLimit else { return }
    require(reread(description) == description, "a description reads the same when written")

    let extensions = description.media.first?.extensionMaps ?? []
    let tracks = description.media.enumerated().compactMap { $1.describedTrack?.track(id: TrackID($0)) }
    let ours = SessionDescription.live(
        title: description.name, description: description.information, tracks: tracks,
        connection: .unspecified(ipVersion: .ipv4), originSessionID: 1, originVersion: 1, originAddress: "::1",
        controls: true, avpf: true, extensions: extensions)
    let again = reread(ours)
    for (track, medium) in zip(tracks, again?.media ?? []) {
        // Many parameter sets stay out of a description.
        guard let found = medium.describedTrack?.track(id: track.id) else { continue }
        require(found == track, "a track that is described is recognised")
        require(medium.extensionMaps == extensions, "header extensions keep their numbers")
    }
}

private func reread(_ description: SessionDescription) -> SessionDescription? {
    // Not to be read at all differs from every description: the law then fails.
    try? SessionDescription(parsing: description.text)
}
