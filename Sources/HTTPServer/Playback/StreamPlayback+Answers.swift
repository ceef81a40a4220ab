import HLS
import Media
import NIOCore
import Streams

/// The responses to requests for a stream's playback.
extension StreamPlayback {
    /// How long the list of qualities waits for segments of substreams, in nanoseconds. Their encoders may have to start.
    private static var substreamPatience: Int64 { 5_000_000_000 }
    /// How long a playlist waits for its first segment once the stream has media, in nanoseconds: a segment has 10 s at most.
    private static var segmentPatience: Int64 { 12_000_000_000 }
    /// Seconds for which caches may keep what never changes.
    private static var mediaAge: Int { 3_600 }

    /// - Returns: `nil` if the request waits.
    func answer(_ request: PlaybackRequest, at now: MonotonicTime) -> Response? {
        do throws(Problem) {
            switch request.question {
            case .qualities(let content, let label): return try qualities(content, label, request, at: now)
            case .playlist(let name, let directives): return try playlist(name, directives, request, at: now)
            case .media(let name): return try media(name, request, at: now)
            }
        } catch {
            return error.response
        }
    }

    private func qualities(
        _ content: PlaylistName.Content, _ label: String, _ request: PlaybackRequest, at now: MonotonicTime
    ) throws(Problem) -> Response? {
        let names = names(of: content)
        guard let main = renditions[names[0]] else { throw LiveEnd.streamRemoved.problem }
        guard main.isFollowing else { return try withoutMedia(main, request, at: now) }
        guard main.initSegment != nil else { throw LiveEnd.noTracks.problem }
        // Bitrates are measured, and before there are segments a player can do nothing with the list.
        guard main.hasPlaylist else { return try waits(request, for: Self.segmentPatience, at: now) }
        // Chromium changes the quality at once, and fails if there are fewer segments then.
        let isComplete = names.count == 1 || names.allSatisfy { renditions[$0]?.segmenter?.segments.count ?? 0 >= 3 }
        guard isComplete || now - request.since > Self.substreamPatience else { return nil }
        let variants = names.compactMap { renditions[$0]?.variant(label: label, at: now) }
        return Response(
            MultivariantPlaylist(variants, path.information).text, as: SharedPlaylist.mediaType)
    }

    private func playlist(
        _ name: PlaylistName, _ directives: ReloadDirectives, _ request: PlaybackRequest, at now: MonotonicTime
    ) throws(Problem) -> Response? {
        guard let rendition = renditions[name] else { throw Problem(.notFound, "there is no such playlist") }
        guard rendition.isFollowing else { return try withoutMedia(rendition, request, at: now) }
        guard rendition.initSegment != nil else { throw LiveEnd.noTracks.problem }
        guard let segmenter = rendition.segmenter, segmenter.hasPlaylist, let timing = segmenter.timing else {
            return try waits(request, for: Self.segmentPatience, at: now)
        }
        let answer: ReloadDirectives.Answer
        do throws(ReloadDirectives.Failure) {
            answer = try directives.answer(by: segmenter, hasEnded: rendition.hasEnded)
        } catch {
            throw Problem(.badRequest, "\(error)")
        }
        guard answer == .now else {
            // RFC 8216bis, section 6.2.5.2: 503 after three target durations.
            return try waits(request, for: Int64(timing.targetSeconds) * 3_000_000_000, at: now)
        }
        guard let playlist = rendition.playlist(isDelta: directives.isDelta, besides: others(than: name)) else {
            throw LiveEnd.streamRemoved.problem
        }
        // Appendix B.1: what was asked for by its number is kept for six target durations.
        return playlist.response(
            to: request.request, maximumAge: directives.goal == nil ? nil : 6 * timing.targetSeconds)
    }

    /// The other qualities with the same content.
    private func others(than name: PlaylistName) -> [Rendition] {
        renditions.values.filter { $0.name.content == name.content && $0.name != name }.sorted {
            $0.name.index < $1.name.index
        }
    }

    private func media(
        _ name: ResourceName, _ request: PlaybackRequest, at now: MonotonicTime
    ) throws(Problem) -> Response? {
        let missing = Problem(.notFound, "this segment is not, or no longer, there")
        guard let rendition = rendition(ofRun: name.run), let segmenter = rendition.segmenter else { throw missing }
        let bytes: ByteBuffer
        switch name {
        case .initSegment(_, let number):
            guard let segment = segmenter.initSegments[number] else { throw missing }
            bytes = ByteBuffer(bytes: segment.bytes)
        case .segment(_, let number):
            guard let whole = segmenter.segment(number)?.bytes else { throw missing }
            bytes = whole
        case .part(_, let position):
            if let part = segmenter.part(at: position) {
                bytes = part.bytes
                break
            }
            // Only the part that playlists hint at is waited for.
            guard position == segmenter.edge, !rendition.hasEnded else { throw missing }
            let seconds = segmenter.timing?.targetSeconds ?? 1
            return try waits(request, for: Int64(seconds) * 3_000_000_000, at: now)
        }
        var response = Response(headers: [
            ("Content-Type", "video/mp4"), ("Cache-Control", "max-age=\(Self.mediaAge), immutable"),
            ("Accept-Ranges", "bytes"),
        ])
        response.shared = bytes
        return response
    }

    /// A request for a rendition that has no media yet waits, unless its source fails.
    private func withoutMedia(
        _ rendition: Rendition, _ request: PlaybackRequest, at now: MonotonicTime
    ) throws(Problem) -> Response? {
        let demand = rendition.stream.demand
        if demand.startMilliseconds != nil, let failure = demand.failure {
            throw LiveEnd.noInput(reason: failure.reason, retrySeconds: failure.retrySeconds).problem
        }
        let patience = demand.startMilliseconds ?? context.options.firstMediaMilliseconds
        guard now - request.since >= patience * 1_000_000 else { return nil }
        throw LiveEnd.noInput(reason: "\(rendition.stream.path) has no input; see the server's log", retrySeconds: 2)
            .problem
    }

    /// - Returns: `nil`: the request waits.
    private func waits(
        _ request: PlaybackRequest, for nanoseconds: Int64, at now: MonotonicTime
    ) throws(Problem) -> Response? {
        guard now - request.since >= nanoseconds else { return nil }
        throw Problem(.serviceUnavailable, "no media have come in time", retryAfter: 1)
    }
}

extension Rendition {
    var hasPlaylist: Bool { segmenter?.hasPlaylist == true }

    /// The quality as clients choose it; `nil` before its first segment.
    func variant(label: String, at now: MonotonicTime) -> MultivariantPlaylist.Variant? {
        guard hasPlaylist, let initSegment else { return nil }
        let recent = stream.recentMedia(at: now)
        // If all segments are gaps, the bitrate of the last second.
        let bandwidth = segmenter?.bandwidth ?? (recent.byteCount * 8, recent.byteCount * 8)
        return MultivariantPlaylist.Variant(
            uri: "~\(label)/\(name.text)", peakBitrate: bandwidth.peak, averageBitrate: bandwidth.average,
            of: initSegment, frameRate: initSegment.tracks.leading.flatMap { recent.frameRates[$0.id] })
    }
}
