import Fuzzing

private let targets: [String: Target] = [
    "webrtc-stun": fuzzSTUN,
    "webrtc-offers": fuzzOffers,
    "webrtc-answers": fuzzAnswers,
    "webrtc-fragments": fuzzFragments,
    "webrtc-feedback": fuzzFeedback,
]

/// SwiftPM renames a program's entry point to this.
@_cdecl("fuzz_webrtc_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    fuzz(targets, count, arguments)
}
