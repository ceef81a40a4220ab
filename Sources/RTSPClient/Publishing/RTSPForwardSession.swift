import Connecting
import Delivery
import Media
import RTP
import RTSP
import Reactor
import SDP
import Streams

/// One session of a forward with an RTSP server, from the connection to the TEARDOWN. The server is a viewer of the stream, so a slow
/// one is treated as a slow viewer: it skips to a keyframe, and nothing queues for it. Confined to the loop.
final class RTSPForwardSession: ForwardSession {
    /// When it began.
    let start: MonotonicTime
    private let forward: Forward
    private let tracks: [Track]
    private let version: UInt64
    private let title: String
    private let information: String?
    private let surroundings: OutgoingSurroundings
    private var plan: SessionPlan
    private var machine: PublishingConnection
    private var connection: OutgoingConnection
    private var media: [ForwardMedia] = []
    /// The server among the viewers of the stream; `nil` before it takes the stream.
    private(set) var viewer: Viewer?
    /// Why it has ended: close it.
    private(set) var end: ForwardEnd?
    /// Why it ends, while the server is told of it.
    private var departure: ForwardEnd?
    private var deadline: MonotonicTime
    private var redirectionCount = 0
    private var silence = SilenceWatch()
    /// What the viewer had been sent at the last reading.
    private var readCounts = SentCounts()

    /// The timeout for the connection, as for clients that play.
    private static let connectMilliseconds: Int64 = 10_000
    /// How long the answer to a TEARDOWN may take. A server that forgets the session without an answer costs no more than this.
    private static let departureMilliseconds: Int64 = 2_000

    /// - Parameters:
    ///   - tracks: those of the stream, which are announced.
    ///   - version: increases with each change of the tracks.
    init(
        by forwardPlan: RTSPForwardPlan, of forward: Forward, _ tracks: [Track], _ version: UInt64,
        in surroundings: OutgoingSurroundings, at now: MonotonicTime
    ) {
        (self.forward, self.tracks, self.version) = (forward, tracks, version)
        self.surroundings = surroundings
        start = now
        plan = forwardPlan.session
        (title, information) = (forwardPlan.title, forwardPlan.information)
        machine = Self.machine(for: plan)
        connection = OutgoingConnection(plan.connection, in: surroundings)
        deadline = now.advanced(byMilliseconds: Self.connectMilliseconds)
    }

    private static func machine(for plan: SessionPlan) -> PublishingConnection {
        var configuration = PublishingConnection.Configuration()
        configuration.userAgent = plan.userAgent
        return PublishingConnection(url: plan.url, configuration: configuration, login: plan.login)
    }

    /// The time at which to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime {
        let limit = connection.output == nil || departure != nil ? deadline : .distantFuture
        return min(limit, machine.nextDeadline, viewer == nil ? .distantFuture : silence.nextCheck)
    }

    /// Whether a full buffer holds up its datagrams.
    var isBlocked: Bool { media.contains { $0.ports?.isBlocked == true } }

    func retryBlockedSockets() {
        for medium in media { medium.retryIfBlocked() }
    }

    // MARK: Inputs

    func socketIsReady(_ readiness: Readiness, socket: Int, _ buffers: OutgoingBuffers, at now: MonotonicTime) {
        guard end == nil else { return }
        guard socket == 0 else { return receiveDatagrams(of: socket, buffers) }
        if let output = connection.output {
            if readiness.contains(.writable) {
                output.flush(at: now)
                if let viewer { surroundings.place.delivery.outputBecameWritable(of: viewer, at: now) }
            }
            guard !readiness.isDisjoint(with: [.readable, .hangup, .error]) else { return }
            let outcome = connection.read { machine.received($0, at: now) }
            switch outcome {
            case .bytes, .wouldBlock: break
            case .end: machine.receivedEnd(at: now)
            case .failed(let error): fail(.failed(error))
            }
            return perform(at: now)
        }
        connection.establish(readiness, &buffers.link, at: now)
        if connection.output != nil { begin(at: now) }
    }

    func deadlinePassed(at now: MonotonicTime) {
        guard end == nil else { return }
        if deadline <= now {
            if let departure { return end = departure }
            if connection.output == nil { return fail(connection.delay) }
        }
        if machine.nextDeadline <= now { machine.deadlinePassed(at: now) }
        if let viewer, silence.nextCheck <= now { read(viewer, at: now) }
    }

    /// Ends the publication: tells the server, and waits a limited time for its answer.
    func leave(because reason: ForwardEnd, at now: MonotonicTime) {
        guard end == nil, departure == nil else { return }
        departure = reason
        deadline = now.advanced(byMilliseconds: Self.departureMilliseconds)
        endViewer(at: now)
        // Nothing reaches a server that does not read.
        guard let output = connection.output, !output.isBlocked else { return end = reason }
        machine.tearDown(at: now)
        surroundings.touch()
    }

    /// Sends what waits, and notices failures.
    func settle(at now: MonotonicTime) {
        perform(at: now)
        guard end == nil else { return }
        if let failure = connection.settle(at: now) { fail(failure) }
    }

    /// Closes all sockets.
    func close(at now: MonotonicTime) {
        endViewer(at: now)
        for medium in media { medium.close(in: surroundings) }
        media = []
        connection.close(at: now)
    }

    func sends(to viewer: Viewer) -> Bool { self.viewer === viewer }

    private func fail(_ failure: ConnectionFailure) { fail(.connection(failure)) }

    private func fail(_ reason: ClientSessionEnd) {
        end = end ?? departure ?? ForwardEnd(.failed(SessionFailure(reason)))
    }

    // MARK: The state machine's actions

    /// The connection is established.
    private func begin(at now: MonotonicTime) {
        guard let output = connection.output else { return }
        do throws(SystemError) {
            media = []
            for index in tracks.indices {
                media.append(
                    try ForwardMedia(
                        index, over: plan.transport, in: surroundings, usesGSO: surroundings.place.ports.usesGSO))
            }
        } catch {
            return fail(.failed(error))
        }
        let local = output.socket.localAddress
        let description = SessionDescription.live(
            title: title, description: information, tracks: tracks,
            connection: .unspecified(ipVersion: local?.family == .ipv6 ? .ipv6 : .ipv4),
            originSessionID: UInt64(bitPattern: forward.stream.epoch.nanoseconds), originVersion: version,
            originAddress: local?.host ?? "127.0.0.1", controls: true)
        // A stream can have more tracks than a description.
        machine.connected(
            announcing: description, over: media.prefix(description.media.count).map(\.offer), at: now)
        perform(at: now)
    }

    private func perform(at now: MonotonicTime) {
        while end == nil, let action = machine.nextAction() {
            switch action {
            case .send(let bytes): connection.output?.append(bytes)
            case .setUp(let index, let transport): setUp(index, transport, at: now)
            case .recording: record(at: now)
            case .receivedInterleaved(let channel, let bytes): received(bytes.span.bytes, channel: channel, at: now)
            case .close(let reason): closed(reason, at: now)
            }
        }
    }

    private func closed(_ reason: ClientCloseReason, at now: MonotonicTime) {
        guard case .moved(_, let url) = reason, departure == nil, plan.redirectionLimit > 0 else {
            return fail(.closed(reason))
        }
        do throws(ClientSessionEnd) {
            try follow(url, at: now)
        } catch {
            fail(error)
        }
    }

    /// Continues at the URL to which the server has moved the stream.
    private func follow(_ url: RequestURL, at now: MonotonicTime) throws(ClientSessionEnd) {
        guard redirectionCount < plan.redirectionLimit else { throw .circle(url.text) }
        redirectionCount += 1
        let isFromElsewhere = connection.server.map { !$0.isLocal } ?? true
        var next = try plan.redirected(to: url)
        guard !next.isSecure || next.transport == .tcp else { throw .unprotectedMedia(next.transport) }
        next.refusesLocalAddresses = next.refusesLocalAddresses || isFromElsewhere
        close(at: now)
        plan = next
        machine = Self.machine(for: plan)
        connection = OutgoingConnection(plan.connection, in: surroundings)
        deadline = now.advanced(byMilliseconds: Self.connectMilliseconds)
    }

    /// The server has answered SETUP.
    private func setUp(_ index: Int, _ transport: Transport, at now: MonotonicTime) {
        guard departure == nil, let server = connection.server else { return }
        let local = connection.output?.socket.localAddress
        if let failure = media[index].accept(transport, of: server, local: local) {
            leave(because: ForwardEnd(.failed(failure)), at: now)
        }
    }

    /// The server takes media from now on.
    private func record(at now: MonotonicTime) {
        guard departure == nil, let output = connection.output else { return }
        let viewer = Viewer(
            canonicalName: "apus-forward", trackCount: tracks.count, output: plan.transport == .tcp ? output : nil,
            at: now)
        var numbers = SystemRandomNumberGenerator()
        for (track, medium) in zip(tracks, media) {
            guard let transport = medium.transport else { continue }
            let rewriter = HeaderRewriter.random(
                PayloadType(lowBitsOf: track.id.payloadType), using: &numbers)
            viewer.setUp(
                track.id, as: ViewerTrack(rewriter: rewriter, transport: transport, clockRate: track.clockRate))
        }
        let delivery = surroundings.place.delivery
        let current = forward.stream.announcement?.tracks
        guard let current, tracks.isCompatible(with: current),
            delivery.join(viewer, stream: forward.stream, options: joinOptions, at: now)
        else { return leave(because: ForwardEnd(.tracksChanged), at: now) }
        self.viewer = viewer
        silence.begin(at: now)
        forward.began(at: now)
        delivery.start(viewer, at: now)
    }

    /// An encoder makes a keyframe at once. Of other streams the last keyframe is sent first, because the next may be far.
    private var joinOptions: JoinOptions {
        JoinOptions(mode: forward.stream.hasEncoder ? .keyframe : .auto)
    }

    private func endViewer(at now: MonotonicTime) {
        guard let viewer = viewer.take() else { return }
        count(viewer)
        surroundings.place.delivery.end(viewer, at: now)
    }

    // MARK: What the server and the source do

    private func receiveDatagrams(of socket: Int, _ buffers: OutgoingBuffers) {
        let index = (socket - 1) / 2
        guard media.indices.contains(index) else { return }
        let isReport = socket % 2 == 0
        media[index].receive(isReport: isReport, into: &buffers.datagrams) { handle($0, at: surroundings.place.now) }
    }

    private func received(_ packet: RawSpan, channel: UInt8, at now: MonotonicTime) {
        guard media.contains(where: { $0.takesReports(on: channel) }) else { return }
        handle(packet, at: now)
    }

    /// Handles RTCP of the server, which may ask for a keyframe. A malformed packet is ignored.
    private func handle(_ packet: RawSpan, at now: MonotonicTime) {
        guard let viewer, let compound = try? Compound(parsing: packet, allowsReducedSize: true) else { return }
        for case .feedback(let feedback) in compound.packets {
            switch feedback.request {
            case .pictureLossIndication, .fullIntraRequest:
                surroundings.place.delivery.requestKeyframe(for: viewer, at: now)
            case .genericNACK, .transportWide, .bitrateLimit: break
            }
        }
    }

    /// Reads what the viewer has been sent, and notices a source that is silent.
    private func read(_ viewer: Viewer, at now: MonotonicTime) {
        count(viewer)
        let units = surroundings.place.delivery.unitCount(forViewer: viewer)
        if forward.stream.hasEnded { return leave(because: ForwardEnd(.endedSource), at: now) }
        if silence.isSilent(after: units, at: now) {
            leave(because: ForwardEnd(.silentSource(seconds: SilenceWatch.seconds)), at: now)
        }
    }

    private func count(_ viewer: Viewer) {
        let (counts, former) = (viewer.sentCounts, readCounts)
        guard counts != former else { return }
        readCounts = counts
        // The counters wrap.
        let packets = Int64(Int32(bitPattern: counts.packets &- former.packets))
        let bytes = Int64(Int32(bitPattern: counts.octets &- former.octets))
        forward.note {
            $0.add(packets: packets, bytes: bytes, droppedUnits: counts.droppedUnits &- former.droppedUnits)
        }
    }
}
