import Codecs
import Media
import Streams

/// Hands bytes to a decoder for the time of a call.
func decode<Frame>(
    _ bytes: [UInt8], with body: (UnsafeRawBufferPointer) throws(CodecFailure) -> [Frame]
) throws(CodecFailure) -> [Frame] {
    try bytes.withUnsafeBufferPointer { bytes throws(CodecFailure) in try body(UnsafeRawBufferPointer(bytes)) }
}

extension TimedUnit {
    /// A unit that an encoder made, whose times are on the file's timeline.
    init(_ unit: AccessUnit, duration: Int64) {
        self.init(
            track: unit.track, decode: unit.decodeTime.nanoseconds, presentation: unit.presentationTime.nanoseconds,
            duration: duration, isRandomAccess: unit.isRandomAccess, units: unit.units.map { Array(unit.bytes[$0]) })
    }
}

extension SourceFailure {
    init(_ failure: CodecFailure) { self.init(reason: failure.reason, remedy: failure.remedy) }
}

extension ClockRate {
    /// A clock of nanoseconds: times pass through it unrounded.
    static let nanoseconds = ClockRate(hertz: 1_000_000_000) ?? .video
}
