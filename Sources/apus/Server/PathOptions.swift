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
        try apply(to: &path)
    }

    /// Applies the options to all paths.
    func apply(to configuration: inout Configuration) throws {
        for name in configuration.paths.keys { try apply(to: &configuration.paths[name, default: .init()]) }
    }

    /// Applies the options to the camera or test card that is served at /cam without a SOURCE.
    func applyToDefaultPath(of configuration: inout Configuration) throws {
        guard !given.isEmpty else { return }
        if configuration.paths.isEmpty { configuration.paths["cam"] = .init() }
        try apply(to: &configuration)
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

    private func apply(to path: inout Configuration.Path) throws {
        if let size {
            try set("video.width", of: &path, to: "\(size.width)", by: "--size")
            try set("video.height", of: &path, to: "\(size.height)", by: "--size")
        }
        if let fps { try set("video.frameRate", of: &path, to: fps, by: "--fps") }
        if let bitrate { try set("video.bitrate", of: &path, to: bitrate, by: "--bitrate") }
        if let title { try set("title", of: &path, to: title, by: "--title") }
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
