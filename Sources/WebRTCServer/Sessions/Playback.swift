import Delivery
import Media
import RTP
import RTSP
import Reactor
import SRTP
import Streams
import TLS
import WebRTC

/// What a session plays: a viewer, once its keys are known. Confined to its loop.
final class Playback {
    let id: ViewerID
    let stream: Streams.Stream
    /// The stream that is sent, which is another one if tracks are encoded again.
    let source: Streams.Stream
    /// What the answer has negotiated.
    let tracks: [PlaybackTrack]
    /// All tracks of the source when the answer was made.
    let layout: [Track]
    /// Whether the client has offered to receive audio.
    private let needsOpus: Bool
    /// `nil` before the keys are known.
    private(set) var viewer: Viewer?
    /// Opens the reports of the client.
    private(set) var reports: IncomingReports?
    private(set) var startedAt: MonotonicTime?
    /// The transport by which it was counted as joined.
    private(set) var countedTransport: String?
    /// How all its packets are sent.
    private var way: MultiplexedWay?
    /// Makes the sources of on-demand streams run.
    private let uses: [StreamUse]

    /// The time between two sender reports, in nanoseconds: browsers learn capture times from them.
    static let reportInterval: Int64 = 1_000_000_000

    init(
        _ id: ViewerID, of stream: Streams.Stream, from source: Streams.Stream, _ tracks: [PlaybackTrack],
        _ layout: [Track], needsOpus: Bool
    ) {
        (self.id, self.stream, self.source, self.tracks, self.layout) = (id, stream, source, tracks, layout)
        self.needsOpus = needsOpus
        uses = [StreamUse(of: stream)] + (source === stream ? [] : [StreamUse(of: source)])
    }

    /// Makes the viewer.
    ///
    /// - Parameters:
    ///   - keys: of both ends.
    ///   - way: how its packets are sent.
    func begin(
        _ keys: TransportKeys, over way: MultiplexedWay, _ options: ServerOptions, canonicalName: String,
        at now: MonotonicTime
    ) throws(SRTPFailure) -> Viewer {
        let viewer = Viewer(
            canonicalName: canonicalName, trackCount: layout.count, needsOpus: needsOpus, output: way.output, at: now)
        viewer.reportInterval = Self.reportInterval
        let reports = try IncomingReports(keys.peer)
        var numbers = SystemRandomNumberGenerator()
        for track in tracks {
            guard layout.indices.contains(track.id.index) else { continue }
            let rewriter = HeaderRewriter.random(
                track.payloadType, extensions: track.extensions.layout(track.mid, options.playoutDelay),
                ssrc: track.ssrc, using: &numbers)
            viewer.setUp(
                track.id,
                as: ViewerTrack(
                    rewriter: rewriter, transport: way.transport, clockRate: layout[track.id.index].clockRate,
                    protection: try TrackProtection(own: keys.own, ssrc: track.ssrc.rawValue, reports: reports),
                    // Over TCP, nothing is lost; but the client may move to UDP.
                    repair: options.retransmits ? try repair(of: track, rewriter, keys.own, &numbers) : nil),
                limits: options.retransmissionLimits)
        }
        (self.viewer, self.reports, self.way) = (viewer, reports, way)
        return viewer
    }

    private func repair(
        of track: PlaybackTrack, _ rewriter: HeaderRewriter, _ own: MasterKey,
        _ numbers: inout SystemRandomNumberGenerator
    ) throws(SRTPFailure) -> TrackRepair? {
        guard track.takesNACK else { return nil }
        guard let stream = track.retransmission else { return TrackRepair(.browser) }
        // Feedback is about the first transmissions.
        var retransmissions = HeaderRewriter.random(
            stream.payloadType, extensions: rewriter.extensions.with(.transportSequenceNumber, false),
            ssrc: stream.ssrc, using: &numbers)
        retransmissions.timestampOffset = rewriter.timestampOffset
        return TrackRepair(
            .browser, stream: retransmissions,
            protection: try OutgoingProtection(own, ssrc: stream.ssrc.rawValue))
    }

    func started(over transport: String, at now: MonotonicTime) { (startedAt, countedTransport) = (now, transport) }

    /// Sends to another address of the client from now on.
    ///
    /// - Returns: false if media go over TCP now, so that a route is needed (``move(to:on:at:)``).
    func moveRoute(to remote: SocketAddress, from local: SocketAddress?) -> Bool {
        guard let route = way?.route else { return false }
        route.move(to: remote, from: local)
        return true
    }

    /// Sends another way from now on.
    func move(to way: MultiplexedWay, on delivery: DeliveryLoop, at now: MonotonicTime) {
        guard let viewer else { return }
        self.way = way
        delivery.move(viewer, to: way, at: now)
    }

    /// The track of an SSRC.
    func track(of ssrc: SSRC) -> ViewerTrack? {
        viewer?.tracks.lazy.compactMap(\.self).first { $0.rewriter.ssrc == ssrc }
    }

    /// The first track, in whose name packets about the session are sent.
    var firstTrack: ViewerTrack? { viewer?.tracks.lazy.compactMap(\.self).first }
}

extension ExtensionIdentifiers {
    /// The header extensions of a track's packets.
    ///
    /// - Parameter playoutDelay: `nil` if the receiver chooses it.
    fileprivate func layout(_ mid: String?, _ playoutDelay: PlayoutDelay?) -> HeaderExtensionLayout {
        var identifiers: [HeaderExtension: UInt8] = [:]
        identifiers[.mediaIdentification] = self.mid
        identifiers[.transportSequenceNumber] = transportSequenceNumber
        identifiers[.absoluteCaptureTime] = absoluteCaptureTime
        if playoutDelay != nil { identifiers[.playoutDelay] = self.playoutDelay }
        return HeaderExtensionLayout(
            identifiers, playoutDelay: playoutDelay?.value ?? 0, mediaIdentification: mid ?? "")
    }
}
