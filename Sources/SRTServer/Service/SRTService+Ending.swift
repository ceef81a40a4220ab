import Media
import Streams

/// How connections end.
extension SRTService {
    /// Closes a connection whose client may not do what it has asked for, or cannot.
    func refuse(_ connection: Connection, _ reason: String, at now: MonotonicTime) {
        let kind: ServiceLogKind = connection.handshake.right == .publish ? .refusedPublisher : .refusedViewer
        log.log(
            kind, .notice, "client refused", peer: connection.peer, reason: reason, metadata(of: connection), at: now)
        end(connection, .left, because: reason, at: now)
    }

    /// Ends what a client does, and closes the connection. SRT cannot tell the client why.
    func end(
        _ connection: Connection, _ departure: ViewerCounts.Departure, because reason: String, at now: MonotonicTime
    ) {
        guard connections.removeValue(forKey: connection.socket) != nil else { return }
        let role = connection.role
        connection.role = .closed
        connection.stepNumber += 1
        switch role {
        case .publishing(let publisher): ended(publisher, of: connection, because: reason, at: now)
        case .viewing(let viewer, let audience):
            ended(viewer, in: audience, of: connection, departure, because: reason, at: now)
        case .undecided, .creating, .waiting, .closed: break
        }
        if connection.handshake.right == .read { context.gate.viewerLeft() }
        loop.close(connection.socket)
        context.services.left(connection.peer)
    }

    private func ended(
        _ publisher: Publisher, of connection: Connection, because reason: String, at now: MonotonicTime
    ) {
        publisher.point.ended(publisher.publication, because: reason)
        var metadata = metadata(of: connection)
        metadata["seconds"] = "\((now - connection.startedAt) / 1_000_000_000)"
        log.log(.activity, .notice, "publisher left", peer: connection.peer, reason: reason, metadata, at: now)
        publisher.point.stream.events?.publish(publisher.path) {
            .publisherLeft(publisher.publication.eventClient, reason: reason)
        }
    }

    private func ended(
        _ viewer: Viewer, in audience: TransportAudience, of connection: Connection,
        _ departure: ViewerCounts.Departure, because reason: String, at now: MonotonicTime
    ) {
        audience.remove(viewer.sender)
        if audience.senders.isEmpty {
            audience.end(waker)
            audiences[ObjectIdentifier(audience.feed)] = nil
        }
        var metadata = metadata(of: connection)
        let dropped = viewer.sender.follower.droppedUnits
        if dropped > 0 { metadata["dropped"] = "\(dropped) units" }
        log.log(.activity, .info, "left", peer: connection.peer, reason: reason, metadata, at: now)
        let stream = viewer.path.stream
        stream.viewerCounts.left(over: Self.transportName, departure)
        let client = connection.eventClient(viewer.grant)
        stream.events?.publish(stream.path) { .viewerLeft(client, reason: reason) }
    }
}
