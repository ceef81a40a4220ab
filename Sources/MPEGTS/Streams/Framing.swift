import Media
import Wire

/// How access units of one codec become the bytes of an elementary stream.
protocol Framing: Sendable {
    /// The descriptors in the program map (ISO/IEC 13818-1, 2.6).
    var descriptors: [UInt8] { get }

    /// Bytes of `unit` with its framing; `nil` if it cannot be carried.
    func byteCount(of unit: AccessUnit) -> Int?

    /// Writes `byteCount(of:)` bytes.
    @_lifetime(output: copy output)
    func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan)
}

extension Framing {
    var descriptors: [UInt8] { [] }
}
