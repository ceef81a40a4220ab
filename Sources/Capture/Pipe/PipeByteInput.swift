import Glibc
import Streams

/// The bytes of a pipe for libavformat: first those that were read to recognise the format. For one thread.
final class PipeByteInput {
    private var pending: ArraySlice<UInt8>
    private var reader: PipeReader
    private let label: String
    private let stop: StopSignal
    /// Why reading has failed; `nil` at the end of the input.
    private(set) var failure: SourceFailure?

    init(_ head: [UInt8], _ reader: PipeReader, _ label: String, until stop: StopSignal) {
        (pending, self.reader, self.label, self.stop) = (head[...], reader, label, stop)
    }

    /// Reads at least one byte; blocks until there is one, or the source stops.
    ///
    /// - Returns: the number of bytes; 0 at the end, after a failure, or if the source stops.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while pending.isEmpty {
            if stop.isSet { return 0 }
            do throws(SourceFailure) {
                switch try reader.next(quiet: nil, label) {
                case .bytes(let bytes, _): pending = bytes[...]
                case .quiet, .nothing: continue
                case .end: return 0
                }
            } catch {
                failure = error
                return 0
            }
        }
        let count = min(buffer.count, pending.count)
        buffer.copyBytes(from: pending.prefix(count))
        pending = pending.dropFirst(count)
        return count
    }
}
