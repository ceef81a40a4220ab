/// A luma plane with 8-bit samples, in memory of the caller.
public struct LumaPlane: ~Escapable {
    @usableFromInline let samples: Span<UInt8>
    /// Samples from one row to the next.
    public let stride: Int
    public let width: Int
    public let height: Int

    /// - Returns: `nil` if the size is empty or larger than the memory.
    @_lifetime(copy samples)
    public init?(_ samples: Span<UInt8>, width: Int, height: Int, stride: Int) {
        guard width > 0, height > 0, stride >= width, height - 1 <= (samples.count - width) / stride,
            samples.count >= width
        else { return nil }
        (self.samples, self.width, self.height, self.stride) = (samples, width, height, stride)
    }

    /// One sample. The caller must have checked that it lies inside the plane.
    subscript(x: Int, y: Int) -> Int { Int(samples[y * stride + x]) }

    /// The interpolated luma; outside the plane, the value at its edge. The middle of a sample is at one half.
    func level(x: Double, y: Double) -> Double {
        let (x, y) = (clamped(x - 0.5, below: width), clamped(y - 0.5, below: height))
        let (left, top) = (Int(x), Int(y))
        let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
        let (across, down) = (x - Double(left), y - Double(top))
        let above = Double(self[left, top]) * (1 - across) + Double(self[right, top]) * across
        let below = Double(self[left, bottom]) * (1 - across) + Double(self[right, bottom]) * across
        return above * (1 - down) + below * down
    }

    private func clamped(_ place: Double, below count: Int) -> Double {
        min(max(place, 0), Double(count - 1))
    }
}
