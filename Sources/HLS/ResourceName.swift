/// The name of a segment, a part or an init segment in a URL: `3f9c1d02-1795338547.mp4`, `3f9c1d02-1795338547-3.mp4`,
/// `3f9c1d02-init1.mp4`.
///
/// The first word names the run of a segmenter, so that no name is ever used for other bytes.
public enum ResourceName: Hashable, Sendable {
    case segment(run: String, Int64)
    case part(run: String, PlaylistPosition)
    case initSegment(run: String, Int)

    public var run: String {
        switch self {
        case .segment(let run, _), .part(let run, _), .initSegment(let run, _): run
        }
    }

    public var text: String {
        switch self {
        case .segment(let run, let number): "\(run)-\(number).mp4"
        case .part(let run, let position): "\(run)-\(position.segment)-\(position.part).mp4"
        case .initSegment(let run, let number): "\(run)-init\(number).mp4"
        }
    }

    /// `nil` if the text is no name, or not as this type writes it.
    public init?(_ text: String) {
        guard text.utf8.count <= 64, text.utf8.suffix(4).elementsEqual(".mp4".utf8) else { return nil }
        let words = text.utf8.dropLast(4).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard words.count >= 2, let run = words.first, !run.isEmpty, run.utf8.allSatisfy(\.isHexadecimal) else {
            return nil
        }
        switch words.count {
        case 2 where words[1].hasPrefix("init"):
            guard let number = Int(words[1].dropFirst(4)) else { return nil }
            self = .initSegment(run: run, number)
        case 2:
            guard let number = Int64(words[1]) else { return nil }
            self = .segment(run: run, number)
        case 3:
            guard let number = Int64(words[1]), let part = Int(words[2]) else { return nil }
            self = .part(run: run, PlaylistPosition(segment: number, part: part))
        default: return nil
        }
        guard self.text == text else { return nil }
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}
