import Codecs

/// How a camera's frame lies in its memory planes, as negotiated. Frames are checked against it before they are read.
struct FrameLayout: Hashable, Sendable {
    let code: FourCharacterCode
    let format: PixelFormat
    let width: Int
    let height: Int
    /// The bytes per row of each memory plane; 0 if the format determines them.
    let strides: [Int]
    /// The matrix of raw frames other than RGB.
    var matrix = ColourMatrix.bt601
    var range = ColourRange.limited

    /// The position of one plane of a raw frame.
    struct Slice: Hashable, Sendable {
        let memoryPlane: Int
        let offset: Int
        let byteCount: Int
        let stride: Int
    }

    /// The planes of a raw frame within memory planes of `byteCounts` bytes; `nil` if these are too short for a frame.
    func slices(ofFrame raw: RawPixelFormat, memory: PixelFormat.Memory, byteCounts: [Int]) -> [Slice]? {
        var slices: [Slice] = []
        var offset = 0
        for (index, plane) in raw.planes.enumerated() {
            let memoryPlane = memory == .separate ? index : 0
            if memory == .separate { offset = 0 }
            guard memoryPlane < byteCounts.count else { return nil }
            let row = plane.rowByteCount(width: width)
            let stride = max(row, stride(of: plane, at: index, memory: memory, of: raw))
            let rows = plane.rowCount(height: height)
            let byteCount = stride * (rows - 1) + row
            guard offset + byteCount <= byteCounts[memoryPlane] else { return nil }
            slices.append(Slice(memoryPlane: memoryPlane, offset: offset, byteCount: byteCount, stride: stride))
            offset += stride * rows
        }
        return slices
    }

    /// In contiguous formats the driver reports the stride of the first plane; the other strides are in proportion to their rows
    /// (V4L2, "YUV formats").
    private func stride(
        of plane: RawPixelFormat.Plane, at index: Int, memory: PixelFormat.Memory, of raw: RawPixelFormat
    )
        -> Int
    {
        if memory == .separate { return index < strides.count ? strides[index] : 0 }
        let first = raw.planes[0]
        return (strides.first ?? 0) * plane.bytes * first.columns / (plane.columns * first.bytes)
    }
}
