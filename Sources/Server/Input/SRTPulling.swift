import Connecting
import RTP
import SRT
import SRTClient
import Streams

/// Pulls over SRT.
struct SRTPulling: PullProtocol {
    let url: SRTURL
    let trust: SenderClockTrust
    let calls: SRTCalls

    var label: String { url.description }

    func plans() -> [SRTURL] { [url] }

    func transport(of plan: SRTURL) -> String { plan.passphrase == nil ? "SRT" : "SRT, encrypted" }

    func start(_ pull: SRTPull) { calls.start(pull) }

    func needsOtherWay(after end: SessionFailure) -> Bool { false }

    func failure(_ end: SessionFailure) -> SourceFailure { SourceFailure(end, at: label) }
}
