import Media

/// Packages a stream as fragmented MP4 (ISO/IEC 14496-12), for endless files and Media Source Extensions: one fragment per access
/// unit, of one track.
///
/// One feed serves clients of all tracks and of some: fragments of the same unit are equal for both, so clients leave fragments
/// of other tracks out, and get the init segment of theirs (``InitSegment/selecting(_:)``).
public struct MP4Packager<Storage: FragmentStorage>: Packager {
    public typealias Output = MP4Fragment<Storage>
    /// Where clients find parameter sets.
    public typealias Options = ParameterSetPlacement

    public static func carries(_ track: Track) -> Bool {
        switch track.codec {
        case .h264, .h265, .aac, .opus: true
        case .pcma, .pcmu: false
        }
    }

    private let options: Options
    private var fragmenter: Fragmenter
    private var parts = FrameParts()
    private var initSegment: InitSegment

    public init(tracks: [Track], options: Options) {
        self.options = options
        let movieTracks = tracks.compactMap { MovieTrack($0, options) }
        fragmenter = Fragmenter(movieTracks)
        initSegment = InitSegment(movieTracks, generation: .first)
    }

    public var head: InitSegment? { initSegment }

    /// The next generation begins if the init segment changes in more than the parameter sets that are also in band.
    ///
    /// - Returns: true. A client that cannot read another init segment asks ``InitSegment/continues(_:)``.
    public mutating func announced(_ tracks: [Track], after former: [Track]) -> Bool {
        let movieTracks = tracks.compactMap { MovieTrack($0, options) }
        fragmenter.announced(movieTracks)
        parts = FrameParts()
        let isCovered = initSegment.covers(movieTracks)
        initSegment = InitSegment(
            movieTracks, generation: isCovered ? initSegment.generation : initSegment.generation.next)
        return true
    }

    public mutating func package(_ unit: AccessUnit) -> MP4Fragment<Storage>? {
        let fragment: Fragment?
        if unit.part == .whole, parts.isEmpty {
            fragment = fragmenter.fragment(of: unit)
        } else {
            fragment = fragmenter.fragment(of: parts.joined(unit))
        }
        return fragment.map { MP4Fragment($0, head: initSegment) }
    }

    public func fastStart(_ units: [AccessUnit]) -> [MP4Fragment<Storage>] {
        // A frame whose last part is still to come is in the later output.
        var parts = FrameParts()
        let frames = units.flatMap { parts.joined($0) }
        return fragmenter.fastStart(of: frames).map { MP4Fragment($0, head: initSegment) }
    }
}
