import Server

/// Any text is a configuration, or has errors that name lines in it; and a configuration stays within its ranges.
@Sendable func fuzzConfiguration(_ input: [UInt8]) {
    // Files that are no UTF-8 are refused before.
    guard let text = String(validating: input, as: UTF8.self) else { return }
    do throws(ConfigurationFailure) {
        let configuration = try Configuration(yaml: text, file: "apus.yml")
        law((1...65_535).contains(configuration.server.port), "a port is one")
        let groups = configuration.multicastGroups
        let multicastCount = configuration.servedPaths.count(where: \.value.isMulticast)
        law(Set(groups.values).count == multicastCount, "each path that is multicast has a group of its own")
        for (name, path) in configuration.paths {
            law(isLine(name) && !name.isEmpty, "a path's name is a line")
            law(isLine(path.title) && isLine(path.description), "titles are lines")
            law(path.video.width > 0 && path.video.height > 0 && path.video.gopFrames >= 1, "pictures have a size")
            law(path.audio.bitsPerSecond > 0 && path.audio.channels > 0, "sound has channels")
        }
    } catch {
        // LF, CR, NEL, LS and PS end lines in YAML.
        let lineCount = text.unicodeScalars.count { [0x0A, 0x0D, 0x85, 0x2028, 0x2029].contains($0.value) } + 1
        law(!error.problems.isEmpty, "a failure has a problem")
        for problem in error.problems {
            law(isLine(problem.message) && isLine(problem.option), "problems are lines")
            guard let position = problem.position else { continue }
            // An end that is missing is missed on the line behind the last.
            law(
                (1...(lineCount + 1)).contains(position.line) && position.column >= 1,
                "a problem names a line: \(error)")
        }
    }
}

func isLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
}
