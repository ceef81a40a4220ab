import Media

extension VideoDecoder {
    /// Decodes access units that begin with a keyframe, and returns the frame that is presented last; `nil` if none can be decoded.
    ///
    /// A unit in parts is decoded when its last part is there, because a decoder takes each packet for a whole frame.
    public static func newestFrame(
        of units: [AccessUnit], _ codec: Codec
    ) throws(CodecFailure) -> DecodedVideoFrame? {
        let decoder = try VideoDecoder(codec)
        var newest: DecodedVideoFrame?
        var parts: [AccessUnit] = []
        for unit in units {
            if unit.part.isStart { parts = [] }
            parts.append(unit)
            guard unit.part.isEnd else { continue }
            for frame in try decoder.decode(parts) { newest = later(newest, frame) }
        }
        for frame in try decoder.finish() { newest = later(newest, frame) }
        return newest
    }

    /// B-frames are decoded after frames that are presented later.
    private static func later(_ former: DecodedVideoFrame?, _ new: DecodedVideoFrame) -> DecodedVideoFrame {
        guard let former, let time = former.presentationTime, let next = new.presentationTime else { return new }
        return next >= time ? new : former
    }
}
