import Media

/// What a coded picture says about itself.
struct Picture {
    /// Whether decoding can start here.
    let isKeyframe: Bool
    /// The frame interval in nanoseconds; `nil` if the stream does not contain it.
    let interval: Int64?
    /// Fields from decoding to presentation; a frame lasts two.
    let fields: Int
}

/// Reads the pictures of one track in decoding order.
protocol PictureReader {
    /// Forgets the order of earlier pictures.
    mutating func beginPass()
    /// Reads the parameter sets in `units`; returns the format if they changed it.
    mutating func learned(from units: [[UInt8]]) -> Track.Format?
    /// Reads a picture. Call it once for each.
    mutating func picture(of units: [[UInt8]]) -> Picture
    /// The NAL units of a keyframe with all parameter sets.
    func completed(_ units: [[UInt8]]) -> [[UInt8]]
}

struct H264PictureReader: PictureReader {
    private var sets: H264.ParameterSetTracker
    private var order = H264.PresentationOrder()

    init(_ sets: H264.ParameterSets) { self.sets = H264.ParameterSetTracker(sets) }

    mutating func beginPass() { order = H264.PresentationOrder() }

    mutating func learned(from units: [[UInt8]]) -> Track.Format? { sets.learned(from: units) }

    mutating func picture(of units: [[UInt8]]) -> Picture {
        let slice = units.lazy.compactMap { [sets] in H264.SliceHeader(parsing: $0, with: sets) }.first
        let sequence = slice?.picture.flatMap { sets.sequenceSet($0.sequenceID) }
        var fields = 0
        if let slice, let sequence { fields = order.fields(of: slice, in: sequence) }
        return Picture(
            isKeyframe: units.contains { H264.NALUnitHeader(of: $0)?.type == .idrSlice },
            interval: (sequence ?? sets.firstSequenceSet)?.usability?.timing?.frameNanoseconds, fields: fields)
    }

    func completed(_ units: [[UInt8]]) -> [[UInt8]] { sets.completed(units) }
}

struct H265PictureReader: PictureReader {
    private var sets: H265.ParameterSetTracker
    private var order = H265.PresentationOrder()

    private let interval: Int64?

    /// - Parameter interval: the frame interval that libavformat found in the stream, in nanoseconds.
    init(_ sets: H265.ParameterSets, interval: Int64?) {
        (self.sets, self.interval) = (H265.ParameterSetTracker(sets), interval)
    }

    mutating func beginPass() { order = H265.PresentationOrder() }

    mutating func learned(from units: [[UInt8]]) -> Track.Format? { sets.learned(from: units) }

    mutating func picture(of units: [[UInt8]]) -> Picture {
        let slice = units.lazy.compactMap { [sets] in H265.SliceHeader(parsing: $0, with: sets) }.first
        let frames = slice.map { order.frames(of: $0) } ?? 0
        return Picture(
            isKeyframe: units.contains { H265.NALUnitHeader(of: $0)?.type.isRandomAccessPoint == true },
            interval: interval, fields: 2 * frames)
    }

    func completed(_ units: [[UInt8]]) -> [[UInt8]] { sets.completed(units) }
}

extension ParameterSetTracking {
    /// Observes all units; returns the format if they changed it.
    fileprivate mutating func learned(from units: [[UInt8]]) -> Track.Format? {
        var hasChanged = false
        for unit in units where observe(unit) { hasChanged = true }
        return hasChanged ? format : nil
    }
}
