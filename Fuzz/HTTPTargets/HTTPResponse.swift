import Fuzzing
import HTTP

/// However the bytes are split, the response or the failure is the same, and both parts of a response are bounded.
@Sendable func fuzzHTTPResponse(_ input: [UInt8]) {
    var script = Script(input)
    let seed = script.byte()
    let bytes = script.rest()
    let whole = outcome(of: [bytes])
    require(whole == outcome(of: pieces(of: bytes, seed: seed)), "any split gives the same response")
    require(whole == outcome(of: bytes.map { [$0] }), "single bytes give the same response")
    guard case .success(let response?) = whole else { return }
    let limits = ResponseReader.Limits()
    require((100..<1_000).contains(response.status), "a status has three digits")
    require(response.body.count <= limits.bodyByteCount, "the body is bounded")
    let head = response.headers.reduce(0) { $0 + $1.name.utf8.count }
    require(head <= limits.headByteCount, "the head is bounded")
}

private func outcome(of pieces: [[UInt8]]) -> Result<ReceivedResponse?, ResponseFailure> {
    Result { () throws(ResponseFailure) in
        var reader = ResponseReader()
        for piece in pieces { if let response = try reader.received(piece) { return response } }
        return try reader.receivedEnd()
    }
}
