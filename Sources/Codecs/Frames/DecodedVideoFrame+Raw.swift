import CFFmpeg

/// One plane of an uncompressed frame in the caller's memory.
public struct RawPlane {
    /// All rows, with the padding between them.
    public let bytes: UnsafeRawBufferPointer
    /// Bytes from one row to the next.
    public let stride: Int

    public init(bytes: UnsafeRawBufferPointer, stride: Int) {
        self.bytes = bytes
        self.stride = stride
    }
}

extension DecodedVideoFrame {
    /// Wraps a frame in the caller's memory. The memory must not change while the frame, or anything made from it, exists.
    ///
    /// - Parameter planes: in the order of `RawPixelFormat.planes`.
    public convenience init(
        _ format: RawPixelFormat, width: Int, height: Int, planes: [RawPlane]
    ) throws(CodecFailure) {
        let expected = format.planes
        let fits = zip(planes, expected).allSatisfy { given, plane in
            let (row, rows) = (plane.rowByteCount(width: width), plane.rowCount(height: height))
            return given.stride >= row && given.bytes.count >= given.stride * (rows - 1) + row
        }
        guard fits, planes.count == expected.count, (1...VideoFrame.maximumSideLength).contains(width),
            (1...VideoFrame.maximumSideLength).contains(height)
        else { throw CodecFailure(reason: "a frame of \(width)×\(height) is larger than its memory") }
        let reference = try FrameReference()
        try reference.share(format.libavFormat, width: width, height: height, planes: planes)
        self.init(reference)
    }
}

extension FrameReference {
    /// Points at memory that libav neither writes nor frees.
    fileprivate func share(
        _ format: AVPixelFormat, width: Int, height: Int, planes: [RawPlane]
    ) throws(CodecFailure) {
        isShared = true
        pointer.pointee.format = format.rawValue
        pointer.pointee.width = CInt(width)
        pointer.pointee.height = CInt(height)
        withUnsafeMutablePointer(to: &pointer.pointee.data) { data in
            data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: Int(AV_NUM_DATA_POINTERS)) {
                for (index, plane) in planes.enumerated() {
                    $0[index] = UnsafeMutableRawPointer(mutating: plane.bytes.baseAddress)?
                        .assumingMemoryBound(to: UInt8.self)
                }
            }
        }
        withUnsafeMutablePointer(to: &pointer.pointee.linesize) { strides in
            strides.withMemoryRebound(to: CInt.self, capacity: Int(AV_NUM_DATA_POINTERS)) {
                for (index, plane) in planes.enumerated() { $0[index] = CInt(clamping: plane.stride) }
            }
        }
        // libav copies a frame that has no buffer when a reference is taken. This buffer only counts references.
        pointer.pointee.buf.0 = av_buffer_create(
            pointer.pointee.data.0, planes.first?.bytes.count ?? 0, { _, _ in }, nil, AV_BUFFER_FLAG_READONLY)
        guard pointer.pointee.buf.0 != nil else { throw .outOfMemory }
    }
}
