import Connecting
import Media
import RTP
import RTSP
import Reactor
import SDP
import Wire

/// A reference to a noncopyable `TrackReception`, so that an array can contain it.
final class TrackBox {
    var reception: TrackReception

    init(_ reception: consuming TrackReception) {
        self.reception = reception
    }

    func close(_ watcher: any SocketWatcher) {
        if let fd = reception.sockets?.rtp.fd { watcher.unwatch(fd) }
        if let fd = reception.sockets?.rtcp.fd { watcher.unwatch(fd) }
        reception.sockets = nil
    }
}

/// The execution of the state machine's actions, and the reception of packets.
extension ClientSession {
    func perform(_ action: ClientAction, _ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime) {
        switch action {
        case .send(let bytes): link.send(bytes)
        case .described(let description): receiveDescription(description, sessions, owner, at: now)
        case .setUp(let index, let transport): setUp(tracks[index], index: index, transport, at: now)
        case .playing(let starts):
            beginReporting(at: now)
            let numbers = starts.map { $0?.sequenceNumber }
            owner.session(number, reached: .playing(firstSequenceNumbers: numbers), of: sessions, at: now)
        case .receivedInterleaved(let channel, let bytes):
            receiveInterleaved(channel: channel, bytes.span.bytes, arrival: readTime, owner)
        case .close(let reason): close(reason, at: now)
        }
    }

    private func close(_ reason: ClientCloseReason, at now: MonotonicTime) {
        guard case .moved(_, let url) = reason, plan.redirectionLimit > 0, tracks.isEmpty else {
            return closed(reason)
        }
        do throws(ClientSessionEnd) {
            try follow(url, at: now)
        } catch {
            fail(error)
        }
    }

    private func receiveDescription(
        _ description: SessionDescription, _ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime
    ) {
        let media = plan.mediaChoice.chosen(of: description)
        owner.session(number, reached: .described(description, tracks: media.map(\.track)), of: sessions, at: now)
        if plan.isDescribeOnly { return machine.tearDown(at: now) }
        guard !media.isEmpty else { return fail(.nothingToPlay) }
        do throws(SystemError) {
            var setUps: [TrackSetUp] = []
            for (index, track) in media {
                setUps.append(TrackSetUp(mediaIndex: index, transport: try offer(for: track)))
            }
            machine.setUp(setUps, at: now)
        } catch {
            fail(.connection(.failed(error)))
        }
    }

    /// Prepares the reception of a track and returns the transport for its SETUP.
    private func offer(for track: DescribedTrack) throws(SystemError) -> Transport {
        let index = tracks.count
        var transport: Transport
        switch plan.transport {
        case .tcp:
            transport = Transport(.tcp, .unicast)
            transport.interleaved = ChannelPair(number: index)
            tracks.append(TrackBox(TrackReception(track, sockets: nil)))
        case .multicast:
            transport = Transport(.udp, .multicast)
            tracks.append(TrackBox(TrackReception(track, sockets: nil)))
        case .udp:
            let pair = try Reactor.RTPSocketPair.bind(evenIn: ports(), bufferByteCount: plan.datagramBufferByteCount)
            transport = Transport(.udp, .unicast)
            // Otherwise the profile without feedback, because some devices describe `RTP/AVPF` and refuse it.
            if track.repeatsLostPackets, plan.repairPatience != nil {
                transport.profile = MediaProfile.plainWithFeedback.rawValue
            }
            transport.clientPorts = RTSP.PortPair(rtp: pair.port)
            try watch(pair, track: index)
            tracks.append(TrackBox(TrackReception(track, sockets: pair)))
        }
        return transport
    }

    private func watch(_ sockets: borrowing Reactor.RTPSocketPair, track index: Int) throws(SystemError) {
        try sockets.rtp.enableArrivalTimes()
        try sockets.rtcp.enableArrivalTimes()
        // Kernels before Linux 5.0 do not support GRO and deliver single packets.
        if plan.gsoBatchArrival == .whole { try? sockets.rtp.setGRO(whole: true) }
        try watch(sockets.rtp.fd, .read, socket: 1 + 2 * index)
        try watch(sockets.rtcp.fd, .read, socket: 2 + 2 * index)
    }

    private func setUp(_ box: TrackBox, index: Int, _ transport: Transport, at now: MonotonicTime) {
        switch (plan.transport, transport.lowerTransport, transport.delivery) {
        case (.tcp, .tcp, _): setUpInterleaved(box, transport.interleaved ?? ChannelPair(number: index), transport)
        case (.tcp, .udp, _):
            // Some cameras leave out `/TCP`, and mean it.
            guard let channels = transport.interleaved else { return leave(because: .closed(.otherTransport), at: now) }
            setUpInterleaved(box, channels, transport)
        case (.udp, .udp, .unicast): setUpDatagrams(box, transport)
        case (.multicast, .udp, .multicast): joinGroup(box, index: index, transport)
        default: leave(because: .closed(.otherTransport), at: now)
        }
    }

    private func setUpInterleaved(_ box: TrackBox, _ channels: ChannelPair, _ transport: Transport) {
        box.reception.begin(over: .interleaved(channels), ssrc: transport.ssrc)
    }

    private func setUpDatagrams(_ box: TrackBox, _ transport: Transport) {
        // Not to `source`, which may be an address behind NAT, or one that the server wants to harm.
        let (host, ports) = (link.server, transport.serverPorts)
        let server = host.flatMap { host in ports.map { host.with(port: $0.rtcp) } }
        box.reception.begin(over: .datagrams(server: server), ssrc: transport.ssrc)
        if let patience = plan.repairPatience {
            box.reception.requestMissing(patience: patience, roundTrip: link.roundTrip)
        }
        if let host, let ports { box.openFirewall(host, ports, ssrc: ssrc) }
    }

    private func joinGroup(_ box: TrackBox, index: Int, _ transport: Transport) {
        guard let ports = transport.ports, let destination = transport.destination,
            let group = SocketAddress(destination, port: ports.rtp), group.isMulticast
        else { return fail(.closed(.unusableAnswer(.setUp, "no multicast group"))) }
        do throws(SystemError) {
            let local = group.family == link.localAddress?.family ? link.localAddress : nil
            let pair = try Reactor.RTPSocketPair.receiving(
                group, controlPort: ports.rtcp, onInterfaceHaving: local, bufferByteCount: plan.datagramBufferByteCount)
            try watch(pair, track: index)
            box.reception.sockets = consume pair
            // No reports are sent to the group: each of a thousand viewers would receive those of all others.
            box.reception.begin(over: .datagrams(server: nil), ssrc: transport.ssrc)
        } catch {
            fail(.connection(.failed(error)))
        }
    }

    func receiveDatagrams(socket: Int, _ buffers: inout ReceiveBuffers, _ owner: any SessionOwner) {
        let index = (socket - 1) / 2
        let isControl = socket % 2 == 0
        guard tracks.indices.contains(index) else { return }
        let outcome = tracks[index].receive(isControl: isControl, into: &buffers.datagrams)
        // An ICMP error, because the server does not read its RTCP port, is ignored: packets continue to arrive.
        guard case .bytes = outcome else { return }
        let clockOffset = MonotonicTime.now().nanoseconds - WallClock.unixNanoseconds()
        for place in 0..<buffers.datagrams.count {
            guard let datagram = buffers.datagrams[place] else { continue }
            let arrival = datagram.arrivalUnixNanoseconds.map { MonotonicTime(nanoseconds: $0 &+ clockOffset) }
            for packet in datagram.packets {
                receive(packet.bytes, track: index, arrival: arrival ?? .now(), owner)
            }
        }
    }

    func receiveInterleaved(channel: UInt8, _ bytes: RawSpan, arrival: MonotonicTime, _ owner: any SessionOwner) {
        for (index, box) in tracks.enumerated() {
            guard case .interleaved(let pair) = box.reception.route else { continue }
            guard pair.rtp == channel || pair.rtcp == channel else { continue }
            return receive(bytes, track: index, arrival: arrival, owner)
        }
    }

    private func receive(
        _ bytes: RawSpan, track index: Int, arrival: MonotonicTime, _ owner: any SessionOwner
    ) {
        let box = tracks[index]
        // Some cameras send reports on the channel of the media, or media on that of the reports.
        guard let (header, range, origin) = box.reception.accept(bytes, arrival: arrival) else {
            guard let report = box.reception.senderReport(in: bytes, arrival: arrival) else { return }
            return owner.session(number, track: index, received: report, arrival: arrival)
        }
        guard origin != .needlessRepair else { return }
        let payload = bytes.extracting(range)
        let packet = ReceivedPacket(
            track: index, header: header, isKeyframe: box.reception.beginsKeyframe(payload), arrival: arrival,
            byteCount: bytes.byteCount, isRepair: origin == .repair, payload: payload)
        owner.session(number, received: packet)
    }

    func sendReports(at now: MonotonicTime) {
        for box in tracks {
            if let report = box.reception.report(from: ssrc, at: now) { send(report, of: box) }
        }
    }

    /// Requests missing packets whose time has come.
    func requestRetransmissions(at now: MonotonicTime) {
        for box in tracks {
            if let request = box.reception.retransmissionRequest(from: ssrc, at: now) { send(request, of: box) }
        }
    }

    /// Sends a keyframe request for each video track whose description says that the server takes such requests.
    func requestKeyframes() {
        for box in tracks {
            if let request = box.reception.keyframeRequest(from: ssrc) { send(request, of: box) }
        }
    }

    /// Sends RTCP of a track.
    private func send(_ packet: [UInt8], of box: TrackBox) {
        switch box.reception.route {
        case .interleaved(let pair): link.send(Writer.interleaved(channel: pair.rtcp, packet) ?? [])
        case .datagrams(let server?): box.send(packet, to: server)
        case .datagrams(nil), .none: break
        }
    }
}

extension TrackBox {
    fileprivate func receive(isControl: Bool, into datagrams: inout ReceivedDatagrams) -> ReadOutcome {
        switch reception.sockets {
        case .some(let pair): isControl ? datagrams.receive(from: pair.rtcp) : datagrams.receive(from: pair.rtp)
        case .none: .wouldBlock
        }
    }

    /// Sends an empty packet to each of the server's ports, so that firewalls and NAT devices let in what comes from there (RFC 7362,
    /// section 4).
    fileprivate func openFirewall(_ host: SocketAddress, _ ports: RTSP.PortPair, ssrc: SSRC) {
        guard let payloadType = PayloadType(reception.track.payloadType) else { return }
        let header = Header(
            payloadType: payloadType, isMarked: false, sequenceNumber: SequenceNumber(0), timestamp: 0, ssrc: ssrc)
        var writer = ByteWriter()
        header.write(to: &writer)
        _ = writer.bytes.withUnsafeBytes { reception.sockets?.rtp.send($0, to: host.with(port: ports.rtp)) }
        let report = ReceiverReport(ssrc: ssrc, blocks: [])
        send(
            Compound(report: report, canonicalName: TrackReception.canonicalName).encoded(),
            to: host.with(port: ports.rtcp))
    }

    /// Sends a report. A failure is ignored like a packet loss.
    fileprivate func send(_ report: [UInt8], to server: SocketAddress) {
        _ = report.withUnsafeBytes { reception.sockets?.rtcp.send($0, to: server) }
    }
}
