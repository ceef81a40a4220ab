import CLinux

/// The addresses that serving one viewer touches, so that they can be prefetched while the viewers before it are served.
///
/// With a thousand viewers, all of this has left the processor's caches from one frame to the next, and waiting for it took a
/// third of the sending time outside the kernel. Only the prefetcher uses the addresses, and it accepts any. If one is out of
/// date because the viewer's tracks were set up again, that costs one cache miss.
struct ViewerMemory {
    private let viewer: UnsafeRawPointer
    private let tracks: UnsafeRawPointer?
    private let track: UnsafeRawPointer?
    /// The address of its route, or of its connection's output.
    private let routeOrOutput: UnsafeRawPointer?
    private let address: UnsafeRawPointer?

    /// - Parameter index: the index of the track that matters most.
    init(of viewer: Viewer, track index: Int) {
        self.viewer = Self.address(of: viewer)
        tracks = viewer.tracks.withUnsafeBytes { $0.baseAddress }
        let track = viewer.tracks.indices.contains(index) ? viewer.tracks[index] : nil
        self.track = track.map(Self.address)
        if case .udp(let route) = track?.transport {
            routeOrOutput = Self.address(of: route)
            address = UnsafeRawPointer(route.address)
        } else {
            routeOrOutput = viewer.output.map(Self.address)
            address = nil
        }
    }

    /// Prefetches all addresses, without waiting.
    func prefetch() {
        Self.prefetch(lines: 5, from: viewer)
        Self.prefetch(lines: 1, from: tracks)
        Self.prefetch(lines: 2, from: track)
        Self.prefetch(lines: 3, from: routeOrOutput)
        Self.prefetch(lines: 1, from: address)
    }

    private static func prefetch(lines count: Int, from start: UnsafeRawPointer?) {
        guard let start else { return }
        for line in 0..<count { clinux_prefetch(start + line * 64) }
    }

    private static func address(of object: some AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }
}
