import Delivery
import Media
import RTSP
import Streams

/// A client that watches a stream. Confined to the thread of SRT.
final class Viewer {
    let id: ViewerID
    let path: OfferedPath
    let grant: Grant
    let sender: FeedSender
    /// Makes the sources of on-demand streams run.
    private let uses: [StreamUse]

    /// - Parameter source: the stream that it is served from, which is another one than the path's if tracks are encoded again.
    init(_ id: ViewerID, _ path: OfferedPath, _ grant: Grant, _ sender: FeedSender, from source: Streams.Stream) {
        (self.id, self.path, self.grant, self.sender) = (id, path, grant, sender)
        uses = [StreamUse(of: path.stream)] + (source === path.stream ? [] : [StreamUse(of: source)])
    }
}
