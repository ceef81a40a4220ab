import Fuzzing
import RTSP
import Wire

/// However the bytes are split, the elements and the error are the same; a written message is read as it was; and the parser
/// buffers no more than the largest element.
@Sendable func fuzzRTSPParser(_ input: [UInt8]) {
    var script = Script(input)
    let seed = script.byte()
    let bytes = script.rest()
    let whole = outcome(of: [bytes])
    require(whole == outcome(of: pieces(of: bytes, seed: seed)), "any split gives the same elements")
    for element in whole.elements {
        switch element {
        case .request(let request):
            checkWritten(Writer.bytes(of: request))
        case .response(let response):
            checkWritten(Writer.bytes(of: response))
        case .interleaved(let channel, let data):
            require(
                Writer.interleaved(channel: channel, Array(data)).map { outcome(of: [$0]).elements } == [element],
                "interleaved data is written as it was read")
        }
    }
}

/// A written message is read as one message, which is written in the same way again.
private func checkWritten(_ bytes: [UInt8]) {
    // Line ends and blanks that a lax client omitted are written.
    var limits = Parser.Limits()
    limits.urlByteCount += 4
    limits.headByteCount += 4 * limits.headerCount
    let read = outcome(of: [bytes], limits: limits)
    require(read.error == nil && read.elements.count == 1, "written bytes are one message: \(read)")
    switch read.elements[0] {
    case .request(let request): require(Writer.bytes(of: request) == bytes, "requests are written the same again")
    case .response(let response): require(Writer.bytes(of: response) == bytes, "responses are written the same again")
    case .interleaved: require(false, "a message is not interleaved data")
    }
}

private struct Outcome: Equatable {
    var elements: [Parser.Element] = []
    var error: ParseError?
}

private func outcome(of pieces: [[UInt8]], limits: Parser.Limits = .init()) -> Outcome {
    var parser = Parser(limits: limits)
    var outcome = Outcome()
    for piece in pieces {
        parser.append(piece.rawSpan)
        do throws(ParseError) {
            while let element = try parser.next() { outcome.elements.append(element) }
            require(parser.waitingByteCount < 4 + 65_536, "the buffered bytes are fewer than the largest element")
        } catch {
            outcome.error = error
            return outcome
        }
    }
    return outcome
}
