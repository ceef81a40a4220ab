import Media
import RTP
import RTSP
import RTSPServer
import Streams

extension Configuration {
    /// Values that cannot be combined, although each is valid.
    var contradictions: [ConfigurationProblem] {
        var reading = Reading()
        noteContradictions(in: &reading)
        return reading.problems
    }

    /// Notes values that cannot be combined, although each is valid.
    func noteContradictions(in reading: inout Reading) {
        notePorts(in: &reading)
        notePacketLength(in: &reading)
        noteMulticast(in: &reading)
        noteJoin(in: &reading)
        noteUsers(in: &reading)
        noteTLS(in: &reading)
        for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
            note(path, at: .root + "paths" + name, in: &reading)
        }
        noteSharedInput(in: &reading)
        noteSubstreams(in: &reading)
        noteRenditions(in: &reading)
        noteFallbacks(in: &reading)
    }

    private func notePorts(in reading: inout Reading) {
        // An even port and the odd one above it, for each loop.
        let needed = 2 * max(1, loops.threads)
        guard rtp.lastUDPPort - rtp.firstUDPPort < needed else { return }
        let loopsText = loops.threads > 1 ? ": each event loop uses two ports" : ""
        reading.note(
            "must be at least \(needed) above rtp.firstUDPPort, which is \(rtp.firstUDPPort)\(loopsText)",
            with: .root + "rtp" + "lastUDPPort")
    }

    private func notePacketLength(in reading: inout Reading) {
        let capturing = paths.filter(\.value.absoluteCaptureTime).keys.min()
        let hasSRTP = tls.encryption != .no && tls.srtp != nil
        var longest = RTP.longestPacketBytes
        longest -= paths.values.map(\.headerExtensions.byteCount).max() ?? 0
        if hasSRTP { longest -= CipherSuite.maximumOverhead }
        guard rtp.maximumPacketBytes > longest else { return }
        let reasons = [capturing.map { "paths.\($0).absoluteCaptureTime" }, hasSRTP ? "tls.srtp" : nil]
        reading.note(
            "must be at most \(longest), because \(reasons.compactMap(\.self).joined(separator: " and ")) makes packets longer",
            with: .root + "rtp" + "maximumPacketBytes")
    }

    private func noteMulticast(in reading: inout Reading) {
        let section = OptionPath.root + "multicast"
        if !PortPair.canBegin(at: multicast.port) {
            reading.note("must be even, because RTCP uses the odd port above it", with: section + "port")
        }
        guard multicast.firstGroup <= multicast.lastGroup else {
            return reading.note(
                "is below multicast.firstGroup, which is \(multicast.firstGroup)", with: section + "lastGroup")
        }
        let needed = paths.values.count(where: \.isMulticast)
        let available = Int(multicast.lastGroup.address - multicast.firstGroup.address) + 1
        guard needed > available else { return }
        reading.note(
            "is too low: \(needed) multicast paths need \(needed) groups, and there \(available == 1 ? "is" : "are") \(available)",
            with: section + "lastGroup")
    }

    private func noteJoin(in reading: inout Reading) {
        if join.minimumFastStartFrames > join.maximumFastStartFrames {
            reading.note(
                "is more than join.maximumFastStartFrames, which is \(join.maximumFastStartFrames)",
                with: .root + "join" + "minimumFastStartFrames")
        }
        if join.totalFastStartBytes < join.maximumFastStartBytes {
            reading.note(
                "is less than join.maximumFastStartBytes, which is \(join.maximumFastStartBytes)",
                with: .root + "join" + "totalFastStartBytes")
        }
        if join.maximumFastStartBytes > ring.bytes {
            reading.note(
                "is more than ring.bytes, which is \(ring.bytes)", with: .root + "join" + "maximumFastStartBytes")
        }
    }

    private func note(_ path: Path, at option: OptionPath, in reading: inout Reading) {
        // The chroma planes of 4:2:0 have half the width and height.
        for (key, length) in [("width", path.video.width), ("height", path.video.height)] where length % 2 != 0 {
            reading.note("must be even, and \(length) is odd", with: option + "video" + key)
        }
        if let problem = path.source.spellingProblem { reading.note(problem, with: option + "source") }
        notePull(of: path, at: option + "pull", in: &reading)
        noteForwards(of: path, at: option + "forward", in: &reading)
        if option.text.hasSuffix("*"), path.source != .publish {
            reading.note("a pattern of paths needs the source publish", with: option + "source")
        }
        noteOnDemand(of: path, at: option, in: &reading)
        noteAbsence(of: path, at: option, in: &reading)
        if path.publish != Publish(), path.source != .publish {
            reading.note("has no effect: the source is \(path.source), not publish", with: option + "publish")
        }
        noteEffects(of: path, at: option, in: &reading)
    }

    private func noteOnDemand(of path: Path, at option: OptionPath, in reading: inout Reading) {
        guard path.onDemand else { return }
        switch path.source {
        case .publish, .track:
            reading.note("has no effect: a publisher decides when it sends", with: option + "onDemand")
        case .standardInput:
            reading.note("standard input cannot be opened when it is needed", with: option + "onDemand")
        case .testCard, .substream, .pulled, .pulledRTMP, .pulledSRT, .url, .path: break
        }
        if path.multicast == .always || path.multicastTransportStream == .always {
            reading.note("contradicts multicast always, which needs the source all the time", with: option + "onDemand")
        }
    }

    private func notePull(of path: Path, at section: OptionPath, in reading: inout Reading) {
        guard path.pull != Pull() else { return }
        if case .url(let url) = path.source, url.lowercased().hasPrefix("https:") {
            return noteCertificate(of: path, at: section, in: &reading)
        }
        let takesDatagrams: Bool
        let isSecure: Bool
        switch path.source {
        case .pulled(let url, _): (takesDatagrams, isSecure) = (!url.isSecure, url.isSecure)
        case .pulledRTMP(let url, _): (takesDatagrams, isSecure) = (false, url.isSecure)
        case .pulledSRT:
            return reading.note("has no effect: the URL of the source says everything about SRT", with: section)
        default:
            return reading.note(
                "has no effect: the source is \(path.source), not an rtsp:// or rtmp:// URL", with: section)
        }
        if !takesDatagrams, [.udp, .multicast].contains(path.pull.transport) {
            reading.note("must be auto or tcp: UDP is for rtsp:// URLs", with: section + "transport")
        }
        if !isSecure, path.pull.certificate != .verify {
            reading.note("has no effect without an rtsps:// or rtmps:// URL", with: section + "certificate")
        }
        if path.pull.user.isEmpty, !path.pull.password.isEmpty {
            reading.note("has no effect without pull.user", with: section + "password")
        }
    }

    /// Of an `https` URL, for which nothing else can be set.
    private func noteCertificate(of path: Path, at section: OptionPath, in reading: inout Reading) {
        var rest = path.pull
        rest.certificate = .verify
        if rest != Pull() {
            reading.note("has no effect but for `certificate`: the source is \(path.source)", with: section)
        }
        if case .fingerprint = path.pull.certificate.certificates {
            reading.note("must be verify or any for an https:// URL", with: section + "certificate")
        }
    }

    private func noteSubstreams(in reading: inout Reading) {
        for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
            var problem = problem(ofParentOf: name, path)
            if case .track(let parent, let number) = path.source {
                problem = self.problem(ofTrack: number, of: parent, at: name)
            }
            if let problem { reading.note(problem, with: .root + "paths" + name + "source") }
        }
    }

    /// Why the path `name` cannot be a track of what clients publish to `parent`; `nil` if it can.
    private func problem(ofTrack number: TrackNumber, of parent: String, at name: String) -> String? {
        guard let source = paths[parent]?.source else {
            if publishPatterns.contains(where: { $0.pattern.matches("/\(parent)") }) { return nil }
            let nearest = nearestName(to: parent, among: Array(paths.keys)).map { "; did you mean `\($0)`?" }
            return "there is no path `\(printable(parent))`\(nearest ?? "")"
        }
        guard source == .publish else {
            return "`\(parent)` has the source \(source), and only a path with the source publish has tracks"
        }
        let others = paths.filter { $0.value.source == .track(of: parent, number) && $0.key < name }
        return others.keys.min().map { "`\($0)` is track \(number) of `\(parent)` already; choose another number" }
    }

    private func noteRenditions(in reading: inout Reading) {
        for (name, path) in paths.sorted(by: { $0.key < $1.key }) where path.rate == .renditions {
            guard !paths.values.contains(where: { $0.source.parent == name }) else { continue }
            reading.note(
                "has no effect: no path has the source stream:\(name) or track:\(name)/NUMBER",
                with: .root + "paths" + name + "rate")
        }
    }

    /// Why the path `name` cannot be a substream of the path that its source names; `nil` if it can, or is not a substream.
    private func problem(ofParentOf name: String, _ path: Path) -> String? {
        guard let first = path.source.parent else { return nil }
        guard let parent = paths[first] else {
            let nearest = nearestName(to: first, among: Array(paths.keys)).map { "; did you mean `\($0)`?" }
            return "there is no path `\(printable(first))`\(nearest ?? "")"
        }
        var chain = [name, first]
        var next = first == name ? name : parent.source.parent
        while let step = next, !chain.dropLast().contains(step) {
            chain.append(step)
            next = paths[step]?.source.parent
        }
        if chain.count == 2 && next == nil { return nil }
        if next == name {
            let way = (chain + (first == name ? [] : [name])).map { "`\($0)`" }.joined(separator: " of ")
            return "a path cannot be its own source: \(way)"
        }
        // A substream of a substream is not supported. The message names the path at the end of the chain, if there is one.
        let advice = chain.last.flatMap { next == nil && paths[$0] != nil ? "; write stream:\($0)" : nil }
        return "`\(first)` is a substream itself\(advice ?? "")"
    }

    private func noteSharedInput(in reading: inout Reading) {
        let readers = paths.filter { $0.value.source == .standardInput }.map(\.key).sorted()
        for name in readers.dropFirst() {
            reading.note(
                "paths.\(readers[0]) reads standard input already, and only one path can",
                with: .root + "paths" + name + "source")
        }
    }
}
