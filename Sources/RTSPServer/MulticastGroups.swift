import Delivery
import Media
import RTP
import Reactor
import Streams

/// The multicast groups that one loop sends to, each on air for as long as anyone has asked for it. Confined to its loop.
final class MulticastGroups {
    /// One path's group: one viewer for all who joined.
    final class Group {
        let viewer: Viewer
        let ports: UDPPorts
        let options: MulticastOptions
        /// All tracks of the stream when it was made.
        let layout: [Track]
        /// Whether it is sent to: from the first PLAY on.
        var isOnAir = false

        init(viewer: Viewer, ports: UDPPorts, options: MulticastOptions, layout: [Track]) {
            self.viewer = viewer
            self.ports = ports
            self.options = options
            self.layout = layout
        }
    }

    /// A stream may have one group in each form. Another stream at the same path has groups of its own: what is withdrawn
    /// late must not be theirs.
    struct Key: Hashable, Sendable {
        let stream: Stream
        let encapsulation: RTPEncapsulation

        static func == (one: Self, other: Self) -> Bool {
            one.stream === other.stream && one.encapsulation == other.encapsulation
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(stream))
            hasher.combine(encapsulation)
        }
    }

    private var groups: [Key: Group] = [:]
    /// Sessions that asked for a path's group, whether or not there is one at the moment.
    private var members: [Key: Int] = [:]
    /// Paths whose group is not on air though someone watches: it is made anew.
    private var orphaned: Set<Key> = []

    /// The path's group, if there is one.
    func group(_ key: Key) -> Group? { groups[key] }

    /// Whether the path's group is to be put on air without another PLAY.
    func isOrphaned(_ key: Key) -> Bool { orphaned.contains(key) }

    /// Counts one member.
    func add(toMembersOf key: Key) {
        members[key, default: 0] += 1
    }

    /// The path's group, made now if there is none, or none that is on air and has the stream's tracks.
    ///
    /// - Throws: where its address is none or no socket can send there.
    func open(
        _ key: Key, tracks: [Track], options: MulticastOptions,
        numbers: inout some RandomNumberGenerator,
        canonicalName: String, id: UInt64, usesGSO: Bool, at now: MonotonicTime
    ) throws(MulticastFailure) -> Group {
        if let group = groups[key], group.isOnAir || Stream.areCompatible(group.layout, tracks) {
            return group
        }
        guard let address = SocketAddress(options.group, port: options.port), address.isMulticast else {
            throw .notAGroup(options.group)
        }
        let viewer = Viewer(
            id: id, canonicalName: canonicalName, trackCount: tracks.count, encapsulation: key.encapsulation,
            output: nil,
            isMulticast: true, at: now)
        let ports: UDPPorts
        do {
            ports = try Self.ports(for: options, usesGSO: usesGSO)
        } catch {
            throw .socket(error)
        }
        guard address.family == .ipv4 || ports.pair.rtp.family == .ipv6 else { throw .noIPv6 }
        func transport(_ index: Int) -> ViewerTrack.TrackTransport {
            let port = options.port &+ UInt16(truncatingIfNeeded: 2 * index)
            return .udp(
                UDPRoute(
                    destination: address.with(port: port), reportDestination: address.with(port: port &+ 1),
                    source: nil, ports: ports))
        }
        switch key.encapsulation {
        case .transportStream:
            let rewriter = HeaderRewriter.random(payloadTypeOf: nil, using: &numbers)
            viewer.setUpAll(as: ViewerTrack(rewriter: rewriter, transport: transport(0), clockRate: .video))
        case .tracks:
            for track in tracks {
                let rewriter = HeaderRewriter.random(
                    payloadTypeOf: track.id, sendsAbsoluteCaptureTime: options.sendsAbsoluteCaptureTime, using: &numbers
                )
                viewer.setUp(
                    track.id,
                    as: ViewerTrack(
                        rewriter: rewriter, transport: transport(track.id.index), clockRate: track.clockRate))
            }
        }
        let group = Group(viewer: viewer, ports: ports, options: options, layout: tracks)
        groups[key] = group
        return group
    }

    /// One member left; answers the group's viewer if it was the last, which then ends.
    func leave(_ key: Key) -> Viewer? {
        let rest = members[key, default: 0] - 1
        members[key] = rest > 0 ? rest : nil
        guard rest <= 0 else { return nil }
        orphaned.remove(key)
        guard let group = groups[key], !group.options.isAlwaysOn else { return nil }
        groups[key] = nil
        return group.viewer
    }

    /// The group's viewer has ended, because the stream's tracks are others now: its members wait for another.
    func ended(_ viewer: Viewer) {
        guard let key = groups.first(where: { $0.value.viewer === viewer })?.key else { return }
        groups[key] = nil
        if members[key] != nil { orphaned.insert(key) }
    }

    /// Someone plays the path's group, which cannot be on air now: its stream has other tracks, or none.
    func missed(_ key: Key) {
        if members[key] != nil { orphaned.insert(key) }
    }

    /// The path's group is sent to from now on.
    func wentOnAir(_ key: Key) {
        groups[key]?.isOnAir = true
        orphaned.remove(key)
    }

    // A group's sockets are not watched: where one's buffer was full, sending is tried again soon.

    /// Lets groups send again whose buffers were full.
    func tryAgain() {
        for group in groups.values where group.ports.isBlocked { group.ports.becameWritable() }
    }

    /// When to try again.
    func nextTry(after now: MonotonicTime) -> MonotonicTime {
        groups.values.contains { $0.ports.isBlocked } ? now + UDPPorts.retryInterval : .distantFuture
    }

    /// Closes the stream's groups, whoever is a member; answers their viewers.
    func close(_ stream: Stream) -> [Viewer] {
        let keys = groups.keys.filter { $0.stream === stream }
        orphaned = orphaned.filter { $0.stream !== stream }
        return keys.compactMap { groups.removeValue(forKey: $0)?.viewer }
    }

    /// All groups' viewers; afterwards there is none.
    func removeAll() -> [Viewer] {
        defer { groups = [:] }
        return groups.values.map(\.viewer)
    }

    private static func ports(for options: MulticastOptions, usesGSO: Bool) throws(SystemError) -> UDPPorts {
        let pair = try RTPSocketPair.bind(evenIn: 32_768...60_998)
        for socket in 0..<2 {
            try configure(pair, socket, options)
        }
        return UDPPorts(pair: pair, usesGSO: usesGSO)
    }

    private static func configure(_ pair: borrowing RTPSocketPair, _ index: Int, _ options: MulticastOptions)
        throws(SystemError)
    {
        let interface = options.interface.flatMap { SocketAddress($0, port: 0) }
        if index == 0 {
            try pair.rtp.setMulticastTimeToLive(options.timeToLive)
            if let interface { try pair.rtp.setMulticastInterface(having: interface) }
        } else {
            try pair.rtcp.setMulticastTimeToLive(options.timeToLive)
            if let interface { try pair.rtcp.setMulticastInterface(having: interface) }
        }
    }
}

/// Why a path cannot be multicast.
enum MulticastFailure: Error, CustomStringConvertible {
    case notAGroup(String)
    case noIPv6
    case socket(SystemError)

    var description: String {
        switch self {
        case .notAGroup(let text): "\(text) is no multicast address"
        case .noIPv6: "this host has no IPv6"
        case .socket(let error): "\(error)"
        }
    }
}

extension HeaderRewriter {
    /// A viewer's numbers for one track: random SSRC, first sequence number and timestamp (RFC 3550, section 5.1).
    ///
    /// - Parameter track: `nil` for all tracks in one transport stream. The first sequence number is not 0: VLC's SAT>IP
    ///   access takes that for a duplicate.
    /// - Parameter ssrc: of a track that SRTP protects. The client has to guess how often sequence numbers have wrapped: they begin
    ///   in the lower half, lest the first packets be lost and the guess be wrong (RFC 3711, section 3.3.1).
    static func random(
        payloadTypeOf track: TrackID?, sendsAbsoluteCaptureTime: Bool = false, ssrc: SSRC? = nil,
        using numbers: inout some RandomNumberGenerator
    ) -> HeaderRewriter {
        HeaderRewriter(
            payloadType: track.map { PayloadType(lowBitsOf: UInt8(truncatingIfNeeded: 96 + $0.index)) }
                ?? .transportStream,
            ssrc: ssrc ?? SSRC(numbers.next()),
            firstSequenceNumber: SequenceNumber(.random(in: 1...(ssrc == nil ? 0xFFFF : 0x7FFF), using: &numbers)),
            timestampOffset: numbers.next(),
            // VLC's SAT>IP access reads 12 bytes of header, whatever stands there.
            sendsAbsoluteCaptureTime: sendsAbsoluteCaptureTime && track != nil)
    }
}
