import Delivery
import Media
import RTP
import RTSP
import Reactor
import Streams

/// The multicast groups that one loop sends to, each for as long as it has members. Confined to its loop.
final class MulticastGroups {
    /// One path's group, with one viewer for all members.
    final class Group {
        let viewer: Viewer
        let ports: UDPPorts
        let options: MulticastOptions
        /// All tracks of the stream when the group was created.
        let layout: [Track]
        /// Whether packets are sent to it: from the first PLAY on.
        var isSending = false
        /// A group that is always sent has no session that uses the stream.
        private let use: StreamUse

        init(of stream: Stream, viewer: Viewer, ports: UDPPorts, options: MulticastOptions, layout: [Track]) {
            use = StreamUse(of: stream)
            self.viewer = viewer
            self.ports = ports
            self.options = options
            self.layout = layout
        }
    }

    private var groups: [GroupKey: Group] = [:]
    /// The number of sessions in each group, even if the group is not being sent at the moment.
    private var members: [GroupKey: Int] = [:]
    /// Groups that have members but are not being sent: they are opened anew.
    private var orphaned: Set<GroupKey> = []

    /// The group, if it exists.
    func group(_ key: GroupKey) -> Group? { groups[key] }

    /// Whether the group must be sent without another PLAY.
    func isOrphaned(_ key: GroupKey) -> Bool { orphaned.contains(key) }

    /// Counts one more member.
    func add(toMembersOf key: GroupKey) {
        members[key, default: 0] += 1
    }

    /// Returns the group. It is opened anew unless it is being sent, or exists with the stream's tracks.
    ///
    /// - Throws: if its address is not a multicast address, or no socket can send to it.
    func open(
        _ key: GroupKey, tracks: [Track], options: MulticastOptions, numbers: inout some RandomNumberGenerator,
        canonicalName: String, usesGSO: Bool, at now: MonotonicTime
    ) throws(MulticastFailure) -> Group {
        if let group = groups[key], group.isSending || group.layout.isCompatible(with: tracks) {
            return group
        }
        guard let address = SocketAddress(options.group, port: options.port), address.isMulticast else {
            throw .notAGroup(options.group)
        }
        let viewer = Viewer(
            canonicalName: canonicalName, trackCount: tracks.count, encapsulation: key.encapsulation, output: nil,
            isMulticast: true, at: now)
        let ports: UDPPorts
        do {
            ports = try Self.ports(for: options, usesGSO: usesGSO)
        } catch {
            throw .socket(error)
        }
        guard address.family == .ipv4 || ports.pair.rtp.family == .ipv6 else { throw .noIPv6 }
        func transport(_ track: TrackID) -> ViewerTrack.TrackTransport {
            let pair = RTSP.PortPair(of: track, from: options.port)
            return .udp(
                UDPRoute(
                    destination: address.with(port: pair.rtp), reportDestination: address.with(port: pair.rtcp),
                    source: nil, ports: ports))
        }
        switch key.encapsulation {
        case .transportStream:
            let rewriter = HeaderRewriter.random(payloadTypeOf: nil, using: &numbers)
            viewer.setUpAll(as: ViewerTrack(rewriter: rewriter, transport: transport(TrackID(0)), clockRate: .video))
        case .tracks:
            for track in tracks {
                let rewriter = HeaderRewriter.random(
                    payloadTypeOf: track.id, extensions: options.headerExtensions, using: &numbers
                )
                viewer.setUp(
                    track.id,
                    as: ViewerTrack(
                        rewriter: rewriter, transport: transport(track.id), clockRate: track.clockRate))
            }
        }
        let group = Group(of: key.stream, viewer: viewer, ports: ports, options: options, layout: tracks)
        groups[key] = group
        return group
    }

    /// Removes one member; returns the group's viewer if that was the last member, so that it can be ended.
    func leave(_ key: GroupKey) -> Viewer? {
        let rest = members[key, default: 0] - 1
        members[key] = rest > 0 ? rest : nil
        guard rest <= 0 else { return nil }
        orphaned.remove(key)
        guard let group = groups[key], !group.options.isAlwaysOn else { return nil }
        groups[key] = nil
        return group.viewer
    }

    /// Removes the group of a viewer that ended because the stream's tracks have changed. Its members wait for a new group.
    ///
    /// - Returns: false if the viewer is no group.
    func ended(_ viewer: Viewer) -> Bool {
        guard let key = groups.first(where: { $0.value.viewer === viewer })?.key else { return false }
        groups[key] = nil
        if members[key] != nil { orphaned.insert(key) }
        return true
    }

    /// Notes that a member has sent PLAY while the group cannot be sent: its stream has other tracks, or none.
    func missed(_ key: GroupKey) {
        if members[key] != nil { orphaned.insert(key) }
    }

    /// Notes that packets are sent to the group from now on.
    func startedSending(_ key: GroupKey) {
        groups[key]?.isSending = true
        orphaned.remove(key)
    }

    // A group's sockets are not watched. If a buffer was full, sending is retried soon.

    /// Retries groups that were blocked by a full buffer.
    func retry() {
        for group in groups.values where group.ports.isBlocked { group.ports.becameWritable() }
    }

    /// When to retry.
    func nextTry(after now: MonotonicTime) -> MonotonicTime {
        groups.values.contains { $0.ports.isBlocked } ? now + UDPPorts.retryInterval : .distantFuture
    }

    /// Removes the stream's groups, even if they have members; returns their viewers.
    func close(_ stream: Stream) -> [Viewer] {
        let keys = groups.keys.filter { $0.stream === stream }
        orphaned = orphaned.filter { $0.stream !== stream }
        return keys.compactMap { groups.removeValue(forKey: $0)?.viewer }
    }

    /// Removes all groups; returns their viewers.
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
        case .notAGroup(let text): "\(text) is not a multicast address"
        case .noIPv6: "this host has no IPv6"
        case .socket(let error): "\(error)"
        }
    }
}
