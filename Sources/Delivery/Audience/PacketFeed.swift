import Media
import RTP
import Streams

/// A feed of RTP packets, whatever they carry, as an audience reads it.
protocol PacketFeed: AnyObject {
    /// The tracks that the packager was created with.
    var tracks: [Track] { get }
    /// The index of the next run.
    var endIndex: Int64 { get }
    /// The run that viewers are sent while the source is silent.
    var filler: PacketRun? { get }
    /// Changes with everything that ``update(_:)`` reads.
    var changeCount: Int { get }
    /// Adds the runs since the last call to `reader`.
    func update(_ reader: inout FeedReader<PacketRun>)
    /// The history of `stream`, the index at which this feed continues after it, and how to package the history.
    func joinPoint(in stream: Stream) -> PacketJoinPoint
    /// Removes a loop that has no viewer left.
    func detach(_ waker: any Waker)
}

/// The point at which a viewer joins.
struct PacketJoinPoint {
    /// The units in capture order.
    let history: [AccessUnit]
    /// The index in the feed of the first unit after the history.
    let nextIndex: Int64
    /// Packages the units of a fast start so that the feed continues after them.
    let package: ([AccessUnit]) -> [PacketRun]
}

extension Feed: PacketFeed where P.Output == PacketRun {
    func joinPoint(in stream: Stream) -> PacketJoinPoint {
        let point = stream.joinPoint(in: self)
        return PacketJoinPoint(history: point.history, nextIndex: point.nextIndex, package: point.packager.fastStart)
    }
}
