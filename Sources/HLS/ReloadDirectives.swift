/// What a client asks of a media playlist in the query of its URL (RFC 8216bis, section 6.2.5): `_HLS_msn=7&_HLS_part=2&_HLS_skip=YES`.
public struct ReloadDirectives: Hashable, Sendable {
    /// The part that the playlist is to contain; `nil` for the present playlist. Without a part, the whole segment.
    public enum Goal: Hashable, Sendable {
        case segment(Int64)
        case part(PlaylistPosition)
    }

    public let goal: Goal?
    /// Whether segments that the client has may be left out.
    public let isDelta: Bool

    /// Why directives mean nothing: a sentence for the response (400).
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case malformedNumber
        case partWithoutSegment
        case unknownSkip
        case tooFarAhead

        public var description: String {
            switch self {
            case .malformedNumber: "_HLS_msn and _HLS_part are numbers"
            case .partWithoutSegment: "_HLS_part needs _HLS_msn"
            case .unknownSkip: "_HLS_skip is YES or v2"
            case .tooFarAhead: "_HLS_msn is too far ahead of the playlist"
            }
        }
    }

    /// - Parameter value: the value of a parameter of the query; `nil` if the query does not have it.
    public init(_ value: (String) -> String?) throws(Failure) {
        let segment = try Self.number(value("_HLS_msn"))
        let part = try Self.number(value("_HLS_part"))
        switch (segment, part) {
        case (let segment?, let part?): goal = .part(PlaylistPosition(segment: segment, part: Int(part)))
        case (let segment?, nil): goal = .segment(segment)
        case (nil, nil): goal = nil
        case (nil, _?): throw .partWithoutSegment
        }
        switch value("_HLS_skip") {
        case nil: isDelta = false
        // The playlist has no date ranges, so both mean the same.
        case "YES", "v2": isDelta = true
        default: throw .unknownSkip
        }
    }

    /// A decimal number of at most 16 digits, which every client can represent.
    private static func number(_ text: String?) throws(Failure) -> Int64? {
        guard let text else { return nil }
        guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else { throw .malformedNumber }
        return number
    }

    /// What becomes of the request.
    public enum Answer: Hashable, Sendable {
        case now
        /// Once the playlist contains this.
        case onceFinished(Goal)
    }

    /// Whether the request waits.
    ///
    /// - Parameter hasEnded: whether no segment will follow.
    public func answer<Storage>(
        by segmenter: Segmenter<Storage>, hasEnded: Bool = false
    ) throws(Failure) -> Answer {
        guard let goal, !hasEnded, !segmenter.hasFinished(goal) else { return .now }
        // The last segment of the playlist is the one before the edge. Two more are permitted.
        guard goal.segment <= segmenter.edge.segment + 1 else { throw .tooFarAhead }
        return .onceFinished(goal)
    }
}

extension ReloadDirectives.Goal {
    var segment: Int64 {
        switch self {
        case .segment(let number): number
        case .part(let position): position.segment
        }
    }
}

extension Segmenter {
    /// Whether the playlist contains this. A part that its segment turned out not to have is the first one of the next segment
    /// (RFC 8216bis, section 6.2.5.2).
    public func hasFinished(_ goal: ReloadDirectives.Goal) -> Bool {
        guard case .part(let wanted) = goal else { return goal.segment < edge.segment }
        if wanted.segment == edge.segment - 1, edge.part == 0 {
            return wanted.part < segment(wanted.segment)?.parts.count ?? 0
        }
        return wanted < edge
    }
}
