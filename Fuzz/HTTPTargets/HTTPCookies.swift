import Fuzzing
import HTTP

/// The cookies of a request, one header per line, have names, contain no separators, and are the same after writing and reading them
/// again.
@Sendable func fuzzHTTPCookies(_ input: [UInt8]) {
    let headers = input.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    let pairs = Cookies(headers).pairs
    require(pairs.count <= 64, "the number of cookies is bounded")
    for pair in pairs {
        require(!pair.name.isEmpty && !pair.name.utf8.contains(UInt8(ascii: "=")), "a cookie has a name")
        require(
            !pair.value.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || ";,\"\\".utf8.contains($0) }, "values are values")
    }
    let written = pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    require(Cookies([written]).pairs == pairs, "\(written) reads the same")
}
