import Glibc
import Media
import Reactor
import Streams

extension Configuration {
    /// Notes options that cannot work on this host as it is now.
    func noteHost(in reading: inout Reading) {
        noteAddress(server.address, with: .root + "server" + "address", in: &reading)
        noteAddress(multicast.interface, with: .root + "multicast" + "interface", in: &reading)
        for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
            guard case .path(let file) = path.source else { continue }
            let option = OptionPath.root + "paths" + name
            if let refusal = path.refusalOnThisHost(file) { reading.note("\(refusal)", with: option + "source") }
            guard let reason = path.source.reasonAgainstCameraOnThisHost else { continue }
            for key in path.camera.keys(changedSince: Camera()) { reading.note(reason, with: option + "camera" + key) }
        }
    }

    /// Notes an address that this host does not have.
    private func noteAddress(_ text: String, with option: OptionPath, in reading: inout Reading) {
        guard let address = SocketAddress(text, port: 0), !address.isAny else { return }
        do throws(SystemError) {
            // Port 0 means any free port.
            _ = try Listener(at: address)
        } catch {
            guard error.code == EADDRNOTAVAIL else { return }
            // If the list cannot be read, the message is shorter.
            let own = ((try? LocalAddresses.all()) ?? []).map(\.host).joined(separator: ", ")
            reading.note(
                "this host does not have the address \(text)\(own.isEmpty ? "" : "; it has \(own)")", with: option)
        }
    }

    /// Notes sources without media. Blocks for at most `SourceTest.usualMilliseconds` per path.
    func noteSources(in reading: inout Reading) {
        for (name, path) in servedPaths.sorted(by: { $0.key < $1.key }) {
            if case .path(let file) = path.source, path.refusalOnThisHost(file) != nil { continue }
            guard let failure = SourceTest.failure(of: path) else { continue }
            reading.note("\(failure)", with: .root + "paths" + name + "source")
        }
    }

    /// Notes rights that have no effect.
    func noteUnused(in reading: inout Reading) {
        for (name, user) in users.sorted(by: { $0.key < $1.key }) {
            let option = OptionPath.root + "users" + name
            if !user.publish.isEmpty, !paths.isEmpty, !paths.values.contains(where: { $0.source == .publish }) {
                reading.note("has no effect: no path has the source publish", with: option + "publish")
            }
            // Without paths in the configuration, the server uses those of the command line, which are not known here.
            guard !paths.isEmpty else { continue }
            for pattern in user.read where !paths.keys.contains(where: { pattern.matches("/\($0)") }) {
                let nearest = nearestName(to: pattern.description, among: Array(paths.keys)).map {
                    "; did you mean `\($0)`?"
                }
                reading.note("there is no path `\(pattern)`\(nearest ?? "")", with: option + "read")
            }
        }
    }
}

extension Configuration.Path {
    /// Why `file`, the path's source, cannot be served now, or not with these effects; `nil` if it can. Reads the file system.
    func refusalOnThisHost(_ file: String) -> SourceFailure? {
        do throws(SourceFailure) {
            let kind = try InputKind(of: file)
            if kind == .camera, access(file, F_OK) != 0 { return .unreadable(file, code: errno) }
            return refusal(of: file, kind)
        } catch {
            return error
        }
    }

    /// Why an input of this kind cannot have the effects of the path; `nil` if it can.
    func refusal(of file: String, _ kind: InputKind) -> SourceFailure? {
        switch kind {
        case .file where effects.overlay == .timestampOverlay:
            SourceFailure(
                reason: "the capture times of \(file) are unknown, so it cannot have a machineTimestamp overlay",
                remedy: "choose another overlay; machineTimestamp is for cameras and the test card")
        case .pipe where effects != Configuration.Effects():
            SourceFailure(
                reason: "H.264 from \(file) is not decoded, so it cannot have effects",
                remedy: "remove the path's effects")
        case .file, .pipe, .camera: nil
        }
    }
}
