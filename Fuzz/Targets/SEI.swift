import Media

/// SEI of any bytes: user data lie inside their unit, and what a capture timestamp says is written so that it reads the same, with
/// and without a picture behind it.
@Sendable func fuzzSEI(_ input: [UInt8]) {
    for data in H264.UserData.all(in: input) {
        require(data.identifier.count + data.content.count < input.count, "user data are shorter than their unit")
        require(H264.UserData.all(in: data.nalUnit) == [data], "user data read the same when written")
    }
    guard let timestamp = CaptureTimestamp(parsing: input) else { return }
    require(CaptureTimestamp(parsing: timestamp.nalUnit) == timestamp, "a timestamp reads the same when written")
    let time = MediaTime(ticks: 0, rate: .video)
    let picture = AccessUnit(
        track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true,
        nalUnits: [[0x67, 66, 0, 30], [0x65, 0x88]])
    require(picture.stamped(with: timestamp).captureTimestamp == timestamp, "a picture carries it")
    checkSpans(of: timestamp)
}

/// What is known of when a picture was coded is told in spans from its capture, as far as they fit.
private func checkSpans(of timestamp: CaptureTimestamp) {
    let captured = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let begin = captured + Int64(timestamp.encodingBegins ?? 0) * 1_000
    let end = captured + -Int64(timestamp.encodingEnds ?? 0) * 1_000
    let coding = AccessUnit.Coding(frameNumber: timestamp.frameNumber, begin: begin, end: end)
    let made = CaptureTimestamp(of: coding, captured: captured, wallClock: timestamp.wallClock)
    require(made.encodingBegins == timestamp.encodingBegins ?? 0, "coding began so long after the capture")
    require(made.encodingEnds == (timestamp.encodingEnds ?? 0 == 0 ? 0 : nil), "nothing ended before it")
}
