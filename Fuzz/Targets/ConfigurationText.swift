import Fuzzing

@testable import Server

/// Any text is a configuration or has errors with positions. Values are in their ranges; the reference file that would describe
/// them yields the same configuration; and the comparison of two configurations reports all differences.
///
/// Input: a configuration file, or two separated by a form feed, which are compared; the second is written.
@Sendable func fuzzConfiguration(_ input: [UInt8]) {
    let texts = input.split(separator: 0x0C, maxSplits: 1, omittingEmptySubsequences: false)
    let read = texts.map(configuration)
    guard read.count == 2, let old = read[0], let new = read[1] else { return }
    let changes = Schema.configuration.changes(from: old, to: new, at: .root)
    require(changes.isEmpty == (old == new), "differences are reported: \(changes)")
    checkReference(of: new)
}

private func configuration(_ text: ArraySlice<UInt8>) -> Configuration? {
    // Files that are not UTF-8 are refused earlier.
    guard let text = String(validating: text, as: UTF8.self) else { return nil }
    do throws(ConfigurationFailure) {
        let configuration = try Configuration(yaml: text, file: "apus.yml")
        check(configuration)
        return configuration
    } catch {
        check(error, in: text)
        return nil
    }
}

private func check(_ configuration: Configuration) {
    require((1...65_535).contains(configuration.server.port), "a port is valid")
    let groups = configuration.multicastGroups
    let multicastCount = configuration.servedPaths.count(where: \.value.isMulticast)
    require(Set(groups.values).count == multicastCount, "each multicast path has its own group")
    for (name, path) in configuration.paths {
        require(isLine(name) && !name.isEmpty, "a path's name is one line")
        require(isLine(path.title) && isLine(path.description), "titles are one line each")
        require(path.video.width > 0 && path.video.height > 0 && path.video.gopFrames >= 1, "the frame size is valid")
        require(path.audio.bitrate > 0 && path.audio.channels > 0, "audio has channels")
    }
}

/// The text of `apus reference` if these were the defaults. Sources are left out, and what only some of them can have.
private func checkReference(of configuration: Configuration) {
    // The reference of many paths and users is slow.
    guard configuration.paths.count + configuration.users.count <= 4 else { return }
    var shown = configuration
    for name in shown.paths.keys {
        shown.paths[name]?.source = .testCard
        shown.paths[name]?.camera = Configuration.Camera()
        shown.paths[name]?.pull = Configuration.Pull()
    }
    let reference = Schema.configuration.reference(shown, indent: 0)
    do throws(ConfigurationFailure) {
        let read = try Configuration(yaml: reference, file: "apus.reference.yml")
        require(read == shown, "a configuration reads the same from its reference")
    } catch {
        require(false, "a reference is a valid configuration: \(error)")
    }
}

private func check(_ failure: ConfigurationFailure, in text: String) {
    // YAML treats LF, CR, NEL, LS and PS as line ends.
    let lineCount = text.unicodeScalars.count { [0x0A, 0x0D, 0x85, 0x2028, 0x2029].contains($0.value) } + 1
    require(!failure.problems.isEmpty, "a failure has a problem")
    for problem in failure.problems {
        require(isLine(problem.message) && isLine(problem.option), "problems are one line each")
        guard let position = problem.position else { continue }
        // The error for a missing end is on the line after the last.
        require(
            (1...(lineCount + 1)).contains(position.line) && position.column >= 1, "a problem names a line: \(failure)")
    }
}

func isLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
}
