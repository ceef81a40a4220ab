import CFFmpeg

/// An uncompressed picture in I420: a plane of luma, and two of chroma at half the width and height. Confined to one thread.
public final class VideoFrame {
    /// One plane of samples, a byte each; valid as long as its frame.
    public struct Plane {
        public let base: UnsafeMutablePointer<UInt8>
        /// Bytes from one row to the next.
        public let stride: Int
        public let width: Int
        public let height: Int

        /// Sets the samples of a rectangle, as much of it as lies inside the plane.
        @inlinable
        public func fill(x: Range<Int>, y: Range<Int>, with value: UInt8) {
            let columns = x.clamped(to: 0..<width)
            for row in y.clamped(to: 0..<height) {
                (base + row * stride + columns.lowerBound).update(repeating: value, count: columns.count)
            }
        }

        /// The sample at a place that the caller has checked to lie inside.
        @inlinable
        public subscript(x: Int, y: Int) -> UInt8 {
            get { base[y * stride + x] }
            nonmutating set { base[y * stride + x] = newValue }
        }
    }

    public let width: Int
    public let height: Int
    public let luma: Plane
    /// Blue difference.
    public let cb: Plane
    /// Red difference.
    public let cr: Plane
    let reference: FrameReference

    /// A picture of undefined content; width and height are even and positive.
    public convenience init(width: Int, height: Int) throws(CodecFailure) {
        guard Self.canHold(width: width, height: height) else {
            throw CodecFailure(
                reason: "a picture of \(width)×\(height) is not possible in I420",
                remedy: "choose an even width and height from 16 to \(Self.maximumSideLength)")
        }
        let reference = try FrameReference()
        reference.pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        reference.pointer.pointee.width = CInt(width)
        reference.pointer.pointee.height = CInt(height)
        try reference.allocate("a picture of \(width)×\(height)")
        try self.init(reference)
    }

    /// Shares the buffers of `reference`, whose format the caller has checked.
    init(_ reference: FrameReference) throws(CodecFailure) {
        let frame = reference.pointer.pointee
        guard let y = frame.data.0, let u = frame.data.1, let v = frame.data.2 else { throw .outOfMemory }
        let (width, height) = (Int(frame.width), Int(frame.height))
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        self.width = width
        self.height = height
        luma = Plane(base: y, stride: Int(frame.linesize.0), width: width, height: height)
        cb = Plane(base: u, stride: Int(frame.linesize.1), width: halfWidth, height: halfHeight)
        cr = Plane(base: v, stride: Int(frame.linesize.2), width: halfWidth, height: halfHeight)
        self.reference = reference
    }

    /// Level 6.2 ends here (ITU-T H.264, table A-1); x264 goes no further either.
    public static let maximumSideLength = 16384

    static func canHold(width: Int, height: Int) -> Bool {
        let side = 16...maximumSideLength
        return side.contains(width) && side.contains(height) && width % 2 == 0 && height % 2 == 0
    }
}
