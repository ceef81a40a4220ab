import Media
import Muxing
import Streams

/// A coded picture or sound on a file's own timeline, in nanoseconds; passes of a loop follow each other on it.
struct TimedUnit {
    let track: TrackID
    var decode: Int64
    var presentation: Int64
    let duration: Int64
    let isKeyframe: Bool
    /// NAL units, or one access unit of sound.
    let units: [[UInt8]]
    /// How it was coded, where that was here.
    var encodeTiming: AccessUnit.EncodeTiming?
}

/// What turns the packets of one track into units that viewers can be sent.
protocol FileTrack: AnyObject {
    var track: Track { get }
    /// Counts up where it is to be announced anew, though it is the same.
    var revision: Int { get }
    /// Another pass begins, whose times are `offset` later than the file's.
    func beginPass(offset: Int64) throws(SourceFailure)
    /// The units that one packet makes: none, one or more.
    func units(of packet: DemuxedPacket) throws(SourceFailure) -> [TimedUnit]
    /// What is left at the end of the pass.
    func endPass() throws(SourceFailure) -> [TimedUnit]
}

extension FileTrack {
    var revision: Int { 0 }
}
