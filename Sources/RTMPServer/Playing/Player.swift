import Delivery
import Media
import RTMP
import RTMPDelivery
import RTSP
import Streams

/// One viewer over RTMP. Confined to the loop.
final class Player {
    let id: ViewerID
    let path: OfferedPath
    let grant: Grant
    let codecs: EnhancedCodecs
    /// Sends the stream, which is another one than the path's if tracks are encoded again.
    let sender: MessageSender
    let startedAt: MonotonicTime
    /// Makes the sources of on-demand streams run.
    private let uses: [StreamUse]

    init(
        _ id: ViewerID, _ path: OfferedPath, _ grant: Grant, _ codecs: EnhancedCodecs, by sender: MessageSender,
        at now: MonotonicTime
    ) {
        (self.id, self.path, self.grant, self.codecs) = (id, path, grant, codecs)
        (self.sender, startedAt) = (sender, now)
        uses =
            [StreamUse(of: path.stream)] + (sender.stream === path.stream ? [] : [StreamUse(of: sender.stream)])
    }

    /// Whether frames wait for it.
    var isBehind: Bool { sender.follower.backlog != .none }

    /// Units that were skipped because it did not keep up.
    var droppedUnits: UInt64 { sender.follower.droppedUnits }
}

// MARK: - Events

extension Player {
    /// Publishes and counts that it begins to play.
    func reportJoined(_ client: StreamEvent.Client) {
        path.stream.viewerCounts.joined(over: client.transport)
        path.stream.events?.publish(path.stream.path) { .viewerJoined(client) }
    }

    /// Publishes and counts that it has left.
    func reportLeft(_ client: StreamEvent.Client, _ departure: ViewerCounts.Departure, because reason: String) {
        path.stream.viewerCounts.left(over: client.transport, departure)
        path.stream.events?.publish(path.stream.path) { .viewerLeft(client, reason: reason) }
    }
}
