/// What a viewer was sent since it was made, in all its tracks. The counts wrap as those of sender reports do (RFC 3550, section
/// 6.4.1), so the difference of two readings is what counts.
public struct SentCounts: Hashable, Sendable {
    public var packets: UInt32 = 0
    /// Bytes of payload.
    public var octets: UInt32 = 0
    /// Units that were skipped because the viewer did not keep up. This count does not wrap.
    public var droppedUnits: UInt64 = 0

    public init() {}
}

extension Viewer {
    public var sentCounts: SentCounts {
        var counts = SentCounts()
        for (index, track) in tracks.enumerated() {
            guard let track, isFirst(track, at: index) else { continue }
            counts.packets &+= track.packetCount
            counts.octets &+= track.octetCount
        }
        counts.droppedUnits = droppedUnits
        return counts
    }
}

extension DeliveryLoop {
    /// The number of units that the viewer's stream has had so far; `nil` if the viewer has not joined. If it stays the same, the
    /// stream's source is silent.
    public func unitCount(forViewer viewer: Viewer) -> Int64? {
        audience(of: viewer)?.view.endIndex
    }
}
