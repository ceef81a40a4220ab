import ArgumentParser
import Server

/// The options of `serve` for the paths that the command line adds.
struct PathOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Size of the test card, and of cameras, which use their nearest size; 1280x720 by default.",
            valueName: "widthxheight"))
    var size: VideoSize?

    @Option(
        help: ArgumentHelp(
            "Frame rate of the test card, and of cameras, which use their nearest rate; 30 by default.",
            valueName: "rate"))
    var fps: String?

    @Option(
        help: ArgumentHelp(
            "Bitrate of video that apus encodes, such as 4M or 500k; 2500000 by default.", valueName: "bit/s"))
    var bitrate: String?

    @Option(help: ArgumentHelp("The title that players show; the path by default.", valueName: "text"))
    var title: String?

    func validate() throws {
        var path = Configuration.Path()
        for (key, text, option) in assignments { try set(key, of: &path, to: text, by: option) }
    }

    /// Applies the options to all paths.
    func apply(to read: inout StatedConfiguration) throws {
        for name in read.configuration.paths.keys {
            for (key, text, option) in assignments {
                try set(key, of: &read.configuration.paths[name, default: .init()], to: text, by: option)
                read.stated.setByCommandLine("paths.\(name).\(key)")
            }
        }
    }

    /// Applies the options to the camera or test card that is served at /cam without a SOURCE.
    func applyToDefaultPath(of read: inout StatedConfiguration) throws {
        guard !given.isEmpty else { return }
        if read.configuration.paths.isEmpty { read.configuration.paths["cam"] = .init() }
        try apply(to: &read)
    }

    /// - Throws: if there is an option, because the paths of the configuration have their own.
    func refuseWithoutSource() throws {
        guard let option = given.first else { return }
        throw InvalidPathOption(
            description: "\(option) needs a SOURCE; for the paths of the configuration, set it there (apus reference)")
    }

    /// The names of the given options.
    private var given: [String] {
        let options = [
            ("--size", size != nil), ("--fps", fps != nil), ("--bitrate", bitrate != nil), ("--title", title != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    /// Keys of the configuration, their values, and the options that set them.
    private var assignments: [(key: String, text: String, option: String)] {
        let all = [
            ("video.width", size.map { "\($0.width)" }, "--size"),
            ("video.height", size.map { "\($0.height)" }, "--size"),
            ("video.frameRate", fps, "--fps"), ("video.bitrate", bitrate, "--bitrate"), ("title", title, "--title"),
        ]
        return all.compactMap { key, text, option in text.map { (key, $0, option) } }
    }

    private func set(_ key: String, of path: inout Configuration.Path, to text: String, by option: String) throws {
        do throws(InvalidArgument) {
            try path.set(key, to: text)
        } catch {
            throw ValidationError("\(option) \(error)")
        }
    }
}

/// An option that cannot be applied.
private struct InvalidPathOption: Error, CustomStringConvertible {
    let description: String
}

/// The size of a frame, as `1280x720`. Both numbers are even, because 4:2:0 halves them.
struct VideoSize: ExpressibleByArgument {
    let width: Int
    let height: Int

    init?(argument: String) {
        let numbers = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let width = numbers[0], let height = numbers[1], width > 0, height > 0,
            width.isMultiple(of: 2), height.isMultiple(of: 2)
        else { return nil }
        (self.width, self.height) = (width, height)
    }
}
