import Connecting
import Media
import RTSPClient
import Reactor
import WebRTC

/// What comes to the session's UDP socket, and what leaves by it.
extension PlaybackSession {
    func receiveDatagrams(
        _ buffers: inout ReceiveBuffers, _ owner: any SessionOwner, in sessions: Sessions, at now: MonotonicTime
    ) {
        let outcome: ReadOutcome
        switch socket {
        case .some(let socket): outcome = buffers.datagrams.receive(from: socket)
        case .none: return
        }
        // An ICMP error, because a candidate is not reachable, is ignored: another one may be.
        guard case .bytes = outcome else { return }
        let clockOffset = MonotonicTime.now().nanoseconds - WallClock.unixNanoseconds()
        for place in 0..<buffers.datagrams.count {
            guard let datagram = buffers.datagrams[place],
                let candidate = candidates.firstIndex(where: { $0.address == datagram.source })
            else { continue }
            let arrival = datagram.arrivalUnixNanoseconds.map { MonotonicTime(nanoseconds: $0 &+ clockOffset) } ?? now
            for packet in datagram.packets {
                receive(packet.bytes, from: candidate, arrival: arrival, owner, in: sessions, at: now)
            }
        }
    }

    private func receive(
        _ datagram: RawSpan, from candidate: Int, arrival: MonotonicTime, _ owner: any SessionOwner,
        in sessions: Sessions, at now: MonotonicTime
    ) {
        guard let transport else { return }
        let address = candidates[candidate].transportAddress
        guard let kind = transport.received(datagram, from: candidate, at: address, at: now) else {
            // The keys may be known now, and media may follow in the same batch.
            if reception == nil { checkTransport(sessions, owner, at: now) }
            return
        }
        guard isPlaying else { return }
        if kind == .rtcp {
            reception?.receivedReports(datagram, through: transport, arrival: arrival) { track, report in
                owner.session(number, track: track, received: report, arrival: arrival)
            }
        } else {
            reception?.received(datagram, through: transport, arrival: arrival) { packet in
                owner.session(number, received: packet)
            }
        }
    }

    /// Sends what the transport has for the server. A datagram that the socket does not take is lost as on the network.
    func flush() {
        transport?.takeOutput { datagram, candidate in
            guard candidates.indices.contains(candidate) else { return }
            _ = datagram.withUnsafeBytes { socket?.send($0, to: candidates[candidate].address) }
        }
    }
}
