import Media
import Wire

/// How access units of one codec become the bytes of an elementary stream.
protocol Framing: Sendable {
    /// Bytes of `unit` with its framing; `nil` if it cannot be carried.
    func byteCount(of unit: AccessUnit) -> Int?

    /// Writes `byteCount(of:)` bytes.
    @_lifetime(output: copy output)
    func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan)
}
