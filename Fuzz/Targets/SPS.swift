import Media

/// Parameter sets, slice headers and containers' records of any bytes: sane values or nothing.
@Sendable func fuzzSPS(_ input: [UInt8]) {
    if let set = H264.SequenceParameterSet(parsing: input) {
        law(set.width > 0 && set.height > 0, "a picture has a size")
        law((0...31).contains(set.id), "a set's id is in the range of the specification")
    }
    if let set = H264.PictureParameterSet(parsing: input) {
        law((0...255).contains(set.id) && (0...31).contains(set.sequenceID), "ids are in their ranges")
    }
    checkRecord(input)

    // A script of NAL units: sets first, then slices that refer to them.
    var script = Script(input)
    var tracker = H264.ParameterSetTracker()
    var previous: H264.SliceHeader?
    while !script.isAtEnd {
        let unit = script.chunk()
        _ = tracker.observe(unit)
        guard let slice = H264.SliceHeader(parsing: unit, with: tracker) else { continue }
        if let previous { _ = slice.beginsPicture(after: previous) }
        previous = slice
    }
}

private func checkRecord(_ input: [UInt8]) {
    guard let record = H264.DecoderConfigurationRecord(parsing: input) else { return }
    law((1...4).contains(record.lengthSize), "a length has one to four bytes")
    let (ranges, _) = H264.LengthPrefixed.units(in: input, lengthSize: record.lengthSize)
    law(
        ranges.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= input.count },
        "units lie inside the bytes")
}
