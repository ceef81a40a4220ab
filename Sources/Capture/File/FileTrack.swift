import Media
import Muxing
import Streams

/// Turns the packets of one track into units that viewers can receive.
protocol FileTrack: AnyObject {
    var track: Track { get }
    /// Increases if the track has to be announced again although it is the same.
    var revision: Int { get }
    /// Starts another pass, in which `offset` is added to the file's times.
    func beginPass(offset: Int64) throws(SourceFailure)
    /// The units of one packet: none, one or more.
    func units(of packet: DemuxedPacket) throws(SourceFailure) -> [TimedUnit]
    /// The remaining units at the end of the pass.
    func endPass() throws(SourceFailure) -> [TimedUnit]
}

extension FileTrack {
    var revision: Int { 0 }
}
