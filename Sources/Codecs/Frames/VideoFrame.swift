import CFFmpeg

/// An uncompressed I420 frame: a luma plane, and two chroma planes of half the width and height. Confined to one thread.
public final class VideoFrame {
    /// One plane of 8-bit samples. It is valid as long as its frame.
    public struct Plane {
        public let base: UnsafeMutablePointer<UInt8>
        /// Bytes from one row to the next.
        public let stride: Int
        public let width: Int
        public let height: Int

        /// Fills the part of a rectangle that lies inside the plane.
        @inlinable
        public func fill(x: Range<Int>, y: Range<Int>, with value: UInt8) {
            let columns = x.clamped(to: 0..<width)
            for row in y.clamped(to: 0..<height) {
                (base + row * stride + columns.lowerBound).update(repeating: value, count: columns.count)
            }
        }

        /// One sample. The caller must have checked that it lies inside the plane.
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

    /// Allocates a frame with undefined content. Width and height must be even and positive.
    public convenience init(width: Int, height: Int) throws(CodecFailure) {
        guard Self.canHold(width: width, height: height) else {
            throw CodecFailure(
                reason: "I420 has no frames of \(width)×\(height)",
                remedy: "choose an even width and height from 16 to \(Self.maximumSideLength)")
        }
        let reference = try FrameReference()
        reference.pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        reference.pointer.pointee.width = CInt(width)
        reference.pointer.pointee.height = CInt(height)
        try reference.allocate("a frame of \(width)×\(height)")
        try self.init(reference)
    }

    /// Shares the buffers of `reference`. The caller has checked the format.
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

    /// The limit of level 6.2 (ITU-T H.264, table A-1) and of x264.
    public static let maximumSideLength = 16384

    static func canHold(width: Int, height: Int) -> Bool {
        let side = 16...maximumSideLength
        return side.contains(width) && side.contains(height) && width % 2 == 0 && height % 2 == 0
    }
}
