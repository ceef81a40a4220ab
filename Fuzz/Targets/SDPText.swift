import Fuzzing
import Media
import SDP

/// A session description is the same after writing and reading it; recognised tracks and header extensions are the same in a
/// description of our own.
@Sendable func fuzzSDP(_ input: [UInt8]) {
    let description: SessionDescription
    do throws(SessionDescription.ParseError) {
        description = try SessionDescription(parsing: input)
    } catch {
        require(error.line >= 1, "an error has a line number")
        return
    }
    // A replacement character takes three bytes, so that text with invalid UTF-8 may exceed the limit.
    guard description.text.utf8.count <= SessionDescription.byteLimit else { return }
    require(reread(description) == description, "a description reads the same when written")

    let extensions = description.media.first?.extensionMaps ?? []
    let tracks = description.media.enumerated().compactMap { $1.describedTrack?.track(id: TrackID($0)) }
    let ours = SessionDescription.live(
        title: description.name, description: description.information, tracks: tracks,
        connection: .unspecified(ipVersion: .ipv4), originSessionID: 1, originVersion: 1, originAddress: "::1",
        controls: true, feedback: .retransmission, extensions: extensions)
    let again = reread(ours)
    for (track, medium) in zip(tracks, again?.media ?? []) {
        // A description contains only a limited number of parameter sets.
        guard let found = medium.describedTrack?.track(id: track.id) else { continue }
        require(found == track, "a described track is recognised")
        require(medium.extensionMaps == extensions, "header extensions keep their numbers")
    }
}

private func reread(_ description: SessionDescription) -> SessionDescription? {
    // If it cannot be read, the result differs from every description and the check fails.
    try? SessionDescription(parsing: description.text)
}
