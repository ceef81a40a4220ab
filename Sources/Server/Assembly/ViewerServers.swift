import Delivery
import HTTPServer
import Media
import RTMPServer
import RTSPServer
import SRTServer
import Streams
import WebRTCServer

/// The servers of all protocols, whose viewers watch the same streams.
struct ViewerServers: Sendable {
    let rtsp: RTSPServer.Server
    /// `nil` without HTTP.
    let http: HTTPServer.Server?
    /// `nil` without RTMP.
    let rtmp: RTMPServer.Server?
    /// `nil` without SRT.
    let srt: SRTServer.Server?
    /// `nil` without WebRTC.
    let webrtc: WebRTCServer.Server?

    /// Ends the viewing of a stream that is no longer served.
    func withdraw(_ stream: Streams.Stream) async {
        await rtsp.withdraw(stream)
        await http?.withdraw(stream)
        await rtmp?.withdraw(stream)
        await srt?.withdraw(stream)
        await webrtc?.withdraw(stream)
    }

    /// Ends the viewing of a stream whose input has ended for good, once the viewers have the last units.
    func end(_ stream: Streams.Stream) async {
        await rtsp.end(stream)
        // Another source may have announced its tracks meanwhile.
        guard stream.hasEnded else { return }
        await http?.withdraw(stream)
        await rtmp?.withdraw(stream)
        await srt?.withdraw(stream)
        await webrtc?.withdraw(stream)
    }

    /// Ends the viewing that the access policy no longer permits.
    func review() async {
        await rtsp.reviewSessions()
        await http?.reviewViewers()
        await rtmp?.review()
        await srt?.review()
        await webrtc?.review()
    }

    /// How many viewers play, by path.
    func viewerCounts() async -> [String: Int] {
        let overHTTP = await http?.viewerCounts() ?? [:]
        let overRTMP = await rtmp?.viewerCounts() ?? [:]
        let overSRT = await srt?.viewerCounts() ?? [:]
        let overWebRTC = await webrtc?.viewerCounts() ?? [:]
        return await [overHTTP, overRTMP, overSRT, overWebRTC].reduce(into: rtsp.viewerCounts()) { counts, others in
            counts.merge(others, uniquingKeysWith: +)
        }
    }

    /// Disconnects a viewer.
    ///
    /// - Parameter id: that of its status.
    /// - Returns: false if there is no such viewer.
    func disconnect(_ id: String) async -> Bool {
        if let viewer = ViewerID(id) {
            if await rtsp.disconnect(viewer) { return true }
            if await rtmp?.disconnect(viewer) == true { return true }
            if await srt?.disconnect(viewer) == true { return true }
            if await webrtc?.disconnect(viewer) == true { return true }
        }
        return await http?.disconnect(viewer: id) ?? false
    }

    /// Chooses a rendition for a viewer, whatever its network carries. Viewers over HTTP, RTMP and SRT stay with the path of their URL.
    ///
    /// - Parameter path: that of the rendition; `nil` lets the estimate of the viewer's path decide.
    /// - Returns: `nil` if there is no such viewer over RTSP or WebRTC.
    func fixRendition(of id: String, to path: String?) async -> RenditionOutcome? {
        guard let viewer = ViewerID(id) else { return nil }
        if let outcome = await rtsp.fixRendition(of: viewer, to: path) { return outcome }
        return await webrtc?.fixRendition(of: viewer, to: path)
    }

    /// All viewers that play.
    func viewers(at now: MonotonicTime) async -> [ServerStatus.ViewerLine] {
        let overRTSP = await rtsp.viewers(at: now).map { ServerStatus.ViewerLine($0, at: now) }
        let overHTTP = await http?.viewers(at: now).map { ServerStatus.ViewerLine($0, at: now) }
        let overRTMP = await rtmp?.viewers(at: now).map { ServerStatus.ViewerLine($0, at: now) }
        let overSRT = await srt?.viewers(at: now).map { ServerStatus.ViewerLine($0, at: now) }
        let overWebRTC = await webrtc?.viewers(at: now).map { ServerStatus.ViewerLine($0, at: now) }
        let others = [overHTTP, overRTMP, overSRT, overWebRTC].compactMap(\.self).flatMap(\.self)
        return (overRTSP + others).sorted {
            ($0.path, $0.peer) < ($1.path, $1.peer)
        }
    }
}
