import Media
import RTP
import RTSP
import Reactor
import SDP
import SRTP
import Streams

/// Answers DESCRIBE. Confined to the loop.
final class DescribeHandler {
    private let context: ServerContext
    private let log: ServiceLog
    private var numbers = SystemRandomNumberGenerator()

    init(_ context: ServerContext, _ log: ServiceLog) {
        self.context = context
        self.log = log
    }

    /// - Parameter mustAnswer: whether the answer must not wait any longer for the stream's input.
    /// - Returns: `nil` if the stream has no input yet.
    func answer(
        _ request: DescribeRequest, on connection: Connection, mustAnswer: Bool, at now: MonotonicTime
    ) -> Result<DescribeAnswer, Refusal>? {
        guard let entry = context.directory.entry(at: request.path) else {
            log.unknownPath(
                request.path, nearest: context.directory.nearest(to: request.path), of: connection, at: now)
            return .failure(.unknownPath(request.path, among: context.directory, for: request.grant))
        }
        if entry.stream.hasEnded { return .failure(.hasEnded(entry.stream)) }
        guard let announcement = entry.stream.announcement else {
            return Refusal.noInput(entry.stream, mustAnswer: mustAnswer).map { .failure($0) }
        }
        let keys = announceKeys(for: announcement.tracks, of: entry, to: connection)
        let dialect = ClientDialect(userAgent: connection.client.userAgent)
        let feedback = context.options.network.feedback(
            for: dialect, isProtected: keys != nil, measuresPaths: entry.stream.measuresPaths)
        return .success(
            description(of: entry, announcement, local: connection.local, feedback: feedback, keys: keys))
    }

    /// The session description for a client that connected to `local`.
    ///
    /// - Parameter keys: the MIKEY message of each track; `nil` without SRTP.
    private func description(
        of entry: PathDirectory.Entry, _ announcement: Streams.Stream.Announcement, local: SocketAddress,
        feedback: ReceiverFeedback, keys: [String]?
    ) -> DescribeAnswer {
        let description = SessionDescription.live(
            title: entry.title, description: entry.information, tracks: announcement.tracks,
            // Not the group, even if the path is multicast too: live555 asks for multicast whenever `c=` is a group.
            connection: .unspecified(ipVersion: local.family == .ipv4 ? .ipv4 : .ipv6),
            originSessionID: UInt64(bitPattern: entry.stream.epoch.nanoseconds), originVersion: announcement.version,
            originAddress: local.host, controls: true, feedback: feedback,
            bandwidths: announcement.tracks.map { entry.stream.describedKilobitsPerSecond(of: $0) },
            extensions: entry.options.headerExtensions.with(
                .transportSequenceNumber, feedback == .retransmissionStream(measuresTransport: true)
            ).extensions.map(ExtensionMap.init), keys: keys,
            captureTimeOrigin: entry.stream.captureTimeOrigin)
        return DescribeAnswer(sdp: Array(description.text.utf8))
    }

    /// Makes keys for a client that describes a stream: a MIKEY message (RFC 3830) for each track. `nil` if SRTP is not offered.
    ///
    /// GStreamer learns only from the description that SRTP is offered, and then uses it with any transport.
    private func announceKeys(
        for tracks: [Track], of entry: PathDirectory.Entry, to connection: Connection
    ) -> [String]? {
        guard connection.machine.security == .tls, let offered = context.options.encryption.tls?.srtp else {
            return nil
        }
        let dialect = ClientDialect(userAgent: connection.client.userAgent)
        let keys = tracks.map { _ in
            AnnouncedKeys.TrackKey(
                key: .random(
                    dialect.supportsGCM ? offered : .counterMode, identifierByteCount: dialect.keyIdentifierByteCount,
                    by: { numbers.next() }),
                ssrc: SSRC(numbers.next()))
        }
        connection.client.announcedKeys.announce(keys, at: entry.stream.path)
        let now = NTPTime(unixNanoseconds: WallClock.unixNanoseconds()).rawValue
        return keys.map { key in
            MIKEYMessage(
                key.key, ssrc: key.ssrc.rawValue, bundle: numbers.next(), timestamp: now,
                random: (0..<16).map { _ in numbers.next() }
            ).attributeValue
        }
    }
}

extension ExtensionMap {
    fileprivate init(_ headerExtension: HeaderExtension) {
        self.init(identifier: UInt16(headerExtension.identifier), uri: headerExtension.uri)
    }
}
