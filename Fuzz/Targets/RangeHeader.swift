import Fuzzing
import RTSP

/// A Range header is the same after writing and reading it, and its times are valid.
@Sendable func fuzzRangeHeader(_ input: [UInt8]) {
    guard let range = RangeHeader(String(decoding: input, as: UTF8.self)) else { return }
    let written = range.headerValue
    guard let again = RangeHeader(written) else { return require(false, "a written range can be read: \(written)") }
    require(again.headerValue == written, "a range is written the same again: \(written)")
    switch (range, again) {
    case (.npt(let from, let to), .npt(let fromAgain, let toAgain)):
        require(areSame(from, fromAgain) && areSame(to, toAgain), "instants are the same to the millisecond")
    case (.clock(let from, let to), .clock(let fromAgain, let toAgain)):
        require(from / 1_000_000 == fromAgain / 1_000_000, "the beginning is the same to the millisecond")
        require(to.map { $0 / 1_000_000 } == toAgain.map { $0 / 1_000_000 }, "the end is the same to the millisecond")
        require(from >= 0 && to ?? 0 >= 0, "no time is before 1970")
    case (.smpte, .smpte): require(range == again, "time codes are kept as they are")
    default: require(false, "a range keeps its kind")
    }
}

private func areSame(_ one: NormalPlayTime?, _ other: NormalPlayTime?) -> Bool {
    guard case .nanoseconds(let one)? = one, case .nanoseconds(let other)? = other else { return one == other }
    require(one >= 0, "no play time is negative")
    return one / 1_000_000 == other / 1_000_000
}
