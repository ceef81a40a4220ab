import CLinux

/// Where the memory lies that serving one viewer touches, so that it can be loaded while those before it are served.
///
/// With a thousand viewers all of it has left the processor's caches from one picture to the next: waiting for it was a
/// third of what sending cost beside the kernel. The addresses are given to the prefetcher alone, which takes any: one that
/// is out of date, because the viewer's tracks were set up again, costs no more than that wait.
struct ViewerMemory {
    private let viewer: UnsafeRawPointer
    private let tracks: UnsafeRawPointer?
    private let track: UnsafeRawPointer?
    /// Its route, or its connection's output.
    private let way: UnsafeRawPointer?
    private let address: UnsafeRawPointer?

    /// - Parameter index: of the track that matters most.
    init(of viewer: Viewer, track index: Int) {
        self.viewer = Self.address(of: viewer)
        tracks = viewer.tracks.withUnsafeBytes { $0.baseAddress }
        let track = viewer.tracks.indices.contains(index) ? viewer.tracks[index] : nil
        self.track = track.map(Self.address)
        if case .udp(let route) = track?.transport {
            way = Self.address(of: route)
            address = UnsafeRawPointer(route.address)
        } else {
            way = viewer.output.map(Self.address)
            address = nil
        }
    }

    /// Has the processor load it, without waiting.
    func prefetch() {
        Self.prefetch(lines: 5, from: viewer)
        Self.prefetch(lines: 1, from: tracks)
        Self.prefetch(lines: 2, from: track)
        Self.prefetch(lines: 3, from: way)
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
