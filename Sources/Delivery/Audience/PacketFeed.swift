import Media
import RTP
import Streams

/// A feed of RTP packets, whatever they carry, as an audience reads it.
///
/// Its operations are closures, because the compiler specialises them for the packager.
struct PacketFeed {
    /// Identifies the feed while it exists.
    let id: ObjectIdentifier
    /// The tracks that the packager was created with.
    let tracks: [Track]
    /// The run that viewers are sent while the source is silent.
    let filler: PacketRun?
    /// The index of the next run.
    let endIndex: () -> Int64
    /// Changes with everything that ``update`` reads.
    let changeCount: () -> Int
    /// Adds the runs since the last call to the reader.
    let update: (inout FeedReader<PacketRun>) -> Void
    /// The history of a stream, the index at which this feed continues after it, and how to package the history.
    let joinPoint: (Stream) -> PacketJoinPoint
    /// Removes a loop that has no viewer left.
    let detach: (any Waker) -> Void

    init<P: Packager>(_ feed: Feed<P>) where P.Output == PacketRun {
        id = ObjectIdentifier(feed)
        tracks = feed.tracks
        filler = feed.filler
        endIndex = { feed.endIndex }
        changeCount = { feed.changeCount }
        update = { feed.update(&$0) }
        joinPoint = { stream in
            let point = stream.joinPoint(in: feed)
            return PacketJoinPoint(
                history: point.history, nextIndex: point.nextIndex, package: point.packager.fastStart)
        }
        detach = { feed.detach($0) }
    }
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
