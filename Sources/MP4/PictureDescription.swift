import Media

/// What the first sequence parameter set says of the frames.
struct PictureDescription: Hashable, Sendable {
    /// Pixels; 0 if the parameter set cannot be read.
    let width: UInt16
    let height: UInt16
    let sampleAspect: VideoSignal.SampleAspect?
    let colour: VideoSignal.Colour?

    init(_ sets: H264.ParameterSets) {
        let set = H264.SequenceParameterSet(parsing: sets.sequence[0])
        self.init(width: set?.width, height: set?.height, set?.usability?.signal)
    }

    init(_ sets: H265.ParameterSets) {
        let set = H265.SequenceParameterSet(parsing: sets.sequence[0])
        self.init(width: set?.width, height: set?.height, set?.signal)
    }

    private init(width: Int?, height: Int?, _ signal: VideoSignal?) {
        self.width = UInt16(clamping: width ?? 0)
        self.height = UInt16(clamping: height ?? 0)
        sampleAspect = signal?.sampleAspect
        colour = signal?.colour
    }

    /// The width in square pixels of a frame's height, as a number with 16 fractional bits; the largest number if it is larger.
    var displayWidth: UInt32 {
        let aspect = (width: UInt64(sampleAspect?.width ?? 1), height: UInt64(sampleAspect?.height ?? 1))
        // Below 2⁴⁸.
        return UInt32(clamping: UInt64(width) << 16 * aspect.width / aspect.height)
    }
}
