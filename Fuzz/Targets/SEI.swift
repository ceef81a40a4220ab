import Fuzzing
import Media

/// Arbitrary SEI: user data lie inside their unit, and a capture timestamp is the same after writing and reading it, alone and in
/// an access unit.
@Sendable func fuzzSEI(_ input: [UInt8]) {
    for data in H264.UserData.all(in: input) {
        require(data.identifier.count + data.content.count < input.count, "user data are shorter than their unit")
        require(H264.UserData.all(in: data.nalUnit) == [data], "user data read the same when written")
    }
    guard let timestamp = CaptureTimestamp(parsing: input) else { return }
    require(CaptureTimestamp(parsing: timestamp.nalUnit) == timestamp, "a timestamp reads the same when written")
    let time = MediaTime(ticks: 0, rate: .video)
    let accessUnit = AccessUnit(
        track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true,
        nalUnits: [[0x67, 66, 0, 30], [0x65, 0x88]])
    require(accessUnit.stamped(with: timestamp).captureTimestamp == timestamp, "an access unit carries the timestamp")
    checkSpans(of: timestamp)
}

/// The encode times are stored as offsets from the capture time, if they fit.
private func checkSpans(of timestamp: CaptureTimestamp) {
    let captured = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let begin = captured + Int64(timestamp.encodingBegins ?? 0) * 1_000
    let end = captured + -Int64(timestamp.encodingEnds ?? 0) * 1_000
    let timing = AccessUnit.EncodeTiming(frameNumber: timestamp.frameNumber, begin: begin, end: end)
    let made = CaptureTimestamp(of: timing, captured: captured, wallClock: timestamp.wallClock)
    require(made.encodingBegins == timestamp.encodingBegins ?? 0, "the encode begin time is kept")
    require(made.encodingEnds == (timestamp.encodingEnds ?? 0 == 0 ? 0 : nil), "an end before the begin is rejected")
}
