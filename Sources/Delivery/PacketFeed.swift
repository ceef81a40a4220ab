import Media
import RTP
import Streams

/// A feed of RTP packets, whatever they carry: what an audience reads.
protocol PacketFeed: AnyObject {
    /// The tracks that the packager was made for.
    var tracks: [Track] { get }
    /// Index that the next run will get.
    var endIndex: Int64 { get }
    /// What viewers are sent while the source is silent.
    var filler: PacketRun? { get }
    /// Adds the runs since `reader` last looked to it.
    func update(_ reader: inout FeedReader<PacketRun>)
    /// The history of `stream`, where this feed goes on after it, and how the history is packaged to lead there.
    func joinPoint(in stream: Stream) -> JoinPoint
    /// The loop has no viewer any more.
    func detach(_ waker: any Waker)
}

/// Where a viewer joins.
struct JoinPoint {
    /// In capture order.
    let history: [AccessUnit]
    /// Index in the feed of the first unit after the history.
    let nextIndex: Int64
    /// Packages what a viewer gets before it.
    let package: ([AccessUnit]) -> [PacketRun]
}

extension Feed: PacketFeed where P.Output == PacketRun {
    func joinPoint(in stream: Stream) -> JoinPoint {
        let point = stream.joinPoint(in: self)
        return JoinPoint(history: point.history, nextIndex: point.nextIndex, package: point.packager.fastStart)
    }
}
