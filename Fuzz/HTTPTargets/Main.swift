import Fuzzing

private let targets: [String: Target] = [
    "http-framing": fuzzHTTPFraming,
    "http-response": fuzzHTTPResponse,
    "http-query": fuzzHTTPQuery,
    "http-cookies": fuzzHTTPCookies,
    "http-range": fuzzHTTPRange,
    "http-text": fuzzHTTPText,
]

/// SwiftPM renames a program's entry point to this.
@_cdecl("fuzz_http_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    fuzz(targets, count, arguments)
}
