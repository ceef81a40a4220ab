import Fuzzing
import HTTP

/// However the bytes are split, the requests end at the same places and the failure is the same. A request that is accepted has no
/// line feed without a carriage return, one length, and no transfer coding.
@Sendable func fuzzHTTPFraming(_ input: [UInt8]) {
    var script = Script(input)
    let seed = script.byte()
    let bytes = script.rest()
    let whole = requests(in: [bytes])
    require(whole == requests(in: pieces(of: bytes, seed: seed)), "any split gives the same requests")
    require(whole == requests(in: bytes.map { [$0] }), "single bytes give the same requests")
    for request in whole.requests { check(request) }
}

private struct Requests: Equatable {
    var requests: [[UInt8]] = []
    var failure: RequestFailure?
}

private func requests(in pieces: [[UInt8]]) -> Requests {
    var (framing, result, request) = (RequestFraming(), Requests(), [UInt8]())
    for piece in pieces {
        var rest = piece[...]
        while !rest.isEmpty {
            do throws(RequestFailure) {
                let count = try framing.received(rest)
                require(count > 0 && count <= rest.count, "bytes are taken")
                request += rest.prefix(count)
                rest = rest.dropFirst(count)
            } catch {
                result.failure = error
                return result
            }
            guard framing.isComplete else { continue }
            result.requests.append(request)
            request = []
            framing.begin()
            require(!framing.isInsideRequest, "a request begins with its first byte")
        }
    }
    return result
}

private func check(_ request: [UInt8]) {
    let text = String(decoding: request, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return require(false, "a head ends with an empty line") }
    let head = text[..<end.lowerBound]
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    require(!lines.contains { $0.unicodeScalars.contains("\n") || $0.unicodeScalars.contains("\r") }, "line ends")
    let names = lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
    require(names.filter { $0 == "content-length" }.count < 2, "there is one length")
    require(!names.contains("transfer-encoding"), "there is no transfer coding")
    require(names.filter { $0 == "host" }.count < 2, "there is one host")
    require(lines.count <= 65 && head.utf8.count <= 16_384 && request.count <= 16_384 + 65_536, "limits hold")
}
