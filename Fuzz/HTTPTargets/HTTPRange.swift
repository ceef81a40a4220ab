import Fuzzing
import HTTP

/// A range lies in the body, whatever its length, and is the same after writing and reading it again.
@Sendable func fuzzHTTPRange(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    for byteCount in [0, 1, 1_000, Int.max] {
        guard case .part(let part) = RequestedRange([text], of: byteCount) else { continue }
        require(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= byteCount, "a range lies in the body")
        // A length has at most 18 digits.
        guard part.upperBound <= 1_000_000_000_000_000_000 else { continue }
        let written = "bytes=\(part.lowerBound)-\(part.upperBound - 1)"
        require(RequestedRange([written], of: byteCount) == .part(part), "\(written) is the same")
    }
}
