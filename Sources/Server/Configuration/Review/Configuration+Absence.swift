import Capture
import Streams

// What is shown while a source is absent.

extension Configuration {
    func noteAbsence(of path: Path, at option: OptionPath, in reading: inout Reading) {
        let section = option + "absent"
        for (isUsed, key) in [
            (path.absent.show != .nothing, section + "show"), (!path.fallback.isEmpty, option + "fallback"),
        ]
        where path.onDemand && isUsed {
            reading.note("cannot be combined with onDemand, with which the source is often away", with: key)
        }
        if path.absent.show == .file, path.absent.file.isEmpty {
            reading.note("must name a file, because absent.show is file", with: section + "file")
        }
        if path.absent.show != .file, !path.absent.file.isEmpty {
            reading.note("has no effect: absent.show is \(path.absent.show), not file", with: section + "file")
        }
        let kinds = path.absent.tracks.map(\.kind)
        if Set(kinds).count < kinds.count {
            reading.note("can have one track of video and one of audio", with: section + "tracks")
        }
        if path.absent.show == .nothing, path.fallback.isEmpty, !path.absent.tracks.isEmpty {
            reading.note("has no effect: absent.show is nothing, and there is no fallback", with: section + "tracks")
        }
    }

    func noteFallbacks(in reading: inout Reading) {
        for (name, path) in paths.sorted(by: { $0.key < $1.key }) where !path.fallback.isEmpty {
            guard let problem = problem(ofFallbackOf: name, path.fallback) else { continue }
            reading.note(problem, with: .root + "paths" + name + "fallback")
        }
    }

    /// Why the path `name` cannot have this fallback; `nil` if it can.
    private func problem(ofFallbackOf name: String, _ fallback: String) -> String? {
        guard paths[fallback] != nil else {
            let nearest = nearestName(to: fallback, among: Array(paths.keys)).map { "; did you mean `\($0)`?" }
            return "there is no path `\(printable(fallback))`\(nearest ?? "")"
        }
        guard let way = way(from: fallback, to: name) else { return nil }
        return "a path cannot be shown in its own place: " + ([name] + way).map { "`\($0)`" }.joined(separator: " → ")
    }

    /// The paths from one to another over fallbacks and parents of substreams; `nil` if there is no way.
    private func way(from start: String, to end: String) -> [String]? {
        var ways = [[start]]
        var seen: Set<String> = [start]
        while let way = ways.popLast(), let last = way.last {
            if last == end { return way }
            let next = [paths[last]?.fallback, paths[last]?.source.parent].compactMap(\.self)
            for name in next where paths[name] != nil && seen.insert(name).inserted { ways.append(way + [name]) }
        }
        return nil
    }
}
