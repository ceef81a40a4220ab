import Fuzzing

@testable import Media

/// Arbitrary parameter sets, slice headers and container records: valid values or none; and a keyframe is completed by all
/// parameter sets seen.
@Sendable func fuzzSPS(_ input: [UInt8]) {
    if let set = H264.SequenceParameterSet(parsing: input) {
        require(set.width > 0 && set.height > 0, "the frame size is valid")
        require((0...31).contains(set.id), "a set's id is in the range of the specification")
    }
    if let set = H264.PictureParameterSet(parsing: input) {
        require((0...255).contains(set.id) && (0...31).contains(set.sequenceID), "ids are in their ranges")
    }
    fuzzH265Sets(input)
    checkRecord(input)
    checkEscaping(of: input)

    // A script of NAL units: parameter sets, then slices that refer to them.
    var script = Script(input)
    var units: [[UInt8]] = []
    while !script.isAtEnd { units.append(script.chunk()) }
    var tracker = H264.ParameterSetTracker()
    var previous: H264.SliceHeader?
    for unit in units {
        _ = tracker.observe(unit)
        guard let slice = H264.SliceHeader(parsing: unit, with: tracker) else { continue }
        if let previous { _ = slice.beginsPicture(after: previous) }
        previous = slice
    }
    checkCompletion(of: units.suffix(4), by: tracker)
}

/// The same for H.265, whose sets, slices and records have other fields.
private func fuzzH265Sets(_ input: [UInt8]) {
    if let set = H265.SequenceParameterSet(parsing: input) {
        require(set.width > 0 && set.height > 0, "the frame size is valid")
    }
    if let record = H265.DecoderConfigurationRecord(parsing: input) {
        require((1...4).contains(record.lengthSize), "a length has one to four bytes")
    }
    var script = Script(input)
    var units: [[UInt8]] = []
    while !script.isAtEnd { units.append(script.chunk()) }
    var tracker = H265.ParameterSetTracker()
    var order = H265.PresentationOrder()
    for unit in units {
        _ = tracker.observe(unit)
        guard let slice = H265.SliceHeader(parsing: unit, with: tracker) else { continue }
        require((0...32).contains(order.frames(of: slice)), "the delay of a picture is bounded")
    }
    if let sets = tracker.parameterSets, let record = sets.decoderConfigurationRecord(areComplete: true) {
        let parsed = H265.DecoderConfigurationRecord(parsing: record)
        require(parsed?.parameterSets == sets && parsed?.lengthSize == 4, "a record is read as written")
    }
    let completed = tracker.completed(units.suffix(4))
    require(tracker.completed(completed) == completed, "a complete unit is not changed")
    require(tracker.parameterSets.map { H265.ParameterSetTracker($0).parameterSets == $0 } ?? true, "sets are returned")
}

/// The last units lack earlier parameter sets and get them.
private func checkCompletion(of units: [[UInt8]], by tracker: H264.ParameterSetTracker) {
    let completed = tracker.completed(units)
    require(tracker.completed(completed) == completed, "a complete unit is not changed")
    require(completed.filter(units.contains).count >= units.count, "no unit is lost")
    guard let sets = tracker.parameterSets else { return }
    require(H264.ParameterSetTracker(sets).parameterSets == sets, "known parameter sets are returned")
    if let record = sets.decoderConfigurationRecord {
        require(H264.DecoderConfigurationRecord(parsing: record)?.parameterSets == sets, "a record is read as written")
    }
    require(sets.sequence.first.flatMap { .init(parsing: $0) } == tracker.firstSequenceSet, "the lowest id comes first")
    var told = H264.ParameterSetTracker()
    for unit in completed { _ = told.observe(unit) }
    require(told.parameterSets?.sequence.count == sets.sequence.count, "a complete unit has a sequence set of each id")
    require(told.parameterSets?.picture.count == sets.picture.count, "a complete unit has a picture set of each id")
}

private func checkEscaping(of bytes: [UInt8]) {
    let unit = [0x06] + H264.RawByteSequence.escaped(bytes)
    require(H264.RawByteSequence(of: unit).bytes == bytes, "bytes are the same after being escaped")
    require(!holdsStartCode(unit), "escaped bytes contain no start code")
}

private func checkRecord(_ input: [UInt8]) {
    guard let record = H264.DecoderConfigurationRecord(parsing: input) else { return }
    require((1...4).contains(record.lengthSize), "a length has one to four bytes")
    let (ranges, _) = H264.LengthPrefixed.units(in: input, lengthSize: record.lengthSize)
    require(
        ranges.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= input.count },
        "units lie inside the bytes")
}
