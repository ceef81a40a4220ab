import Fuzzing
import HLS
import HTTP

/// Properties of the requests of HLS players: names are read as they are written, and a query is an order that a segmenter can answer,
/// or is refused.
@Sendable func fuzzPlaybackRequests(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let name = ResourceName(text) { require(name.text == text, "\(text) is written as it was read") }
    if let name = PlaylistName(text) {
        require(name.text == text && name.index >= 0, "\(text) is written as it was read")
    }
    guard let query = Query(text) else { return }
    do throws(ReloadDirectives.Failure) {
        let directives = try ReloadDirectives { query[$0] }
        require(query["_HLS_part"] == nil || query["_HLS_msn"] != nil, "a part has a segment")
        switch directives.goal {
        case nil: require(query["_HLS_msn"] == nil, "a number is a goal")
        case .segment(let number): require(number >= 0 && number < 10_000_000_000_000_000, "numbers are bounded")
        case .part(let position): require(position.segment >= 0 && position.part >= 0, "numbers are not negative")
        }
        // Without media, there is nothing to wait for but the first two segments.
        let answer = try directives.answer(by: Segmenter<[UInt8]>(SegmenterOptions()))
        require(answer == .now || directives.goal != nil, "only a goal is waited for")
    } catch {
        require(!error.description.isEmpty, "a refusal has a reason")
    }
}
