import ArgumentParser
import Server

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "List, merge or drop the settings that were changed over HTTP.",
        discussion: """
            Settings that are changed over HTTP, such as the bitrate, are kept in settings.yml in the state folder and override \
            the configuration file, which the server never writes. If the file changes a value later, the file's value applies.

            apus settings talks to the running server. If none runs, it reads the folder of the user that runs this command: \
            $STATE_DIRECTORY, or /var/lib/apus for root, or ~/.local/state/apus for other users.

            Examples:
              apus settings
              apus settings merge                    the lines to paste into the configuration file
              apus settings drop                     all settings have the values of the configuration again
              apus settings drop cam video.bitrate
            """,
        subcommands: [ListCommand.self, MergeCommand.self, DropCommand.self], defaultSubcommand: ListCommand.self)

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the settings, with the values of the configuration.")

        @OptionGroup var server: ServerChoice

        func run() throws { try server.print(.list) { try SettingsList(in: $0, configuration: $1).lines } }
    }

    struct MergeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge", abstract: "Print the settings in use as lines for the configuration file.",
            discussion: """
                Paste the lines into the file, and reload it (SIGHUP). Then drop the settings, which have no effect any more.
                """)

        @OptionGroup var server: ServerChoice

        func run() throws {
            try server.print(.merge) { try SettingsList(in: $0, configuration: $1).configurationLines }
        }
    }

    struct DropCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Give settings the values of the configuration again.")

        @OptionGroup var server: ServerChoice

        @Argument(help: "The path: cam or /cam; all paths by default.")
        var path: String?

        @Argument(help: ArgumentHelp("The settings to drop; all settings of the path by default.", valueName: "key"))
        var keys: [String] = []

        func run() throws {
            let name = path.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
            try server.print(.drop(path: name, keys: keys)) { folder, _ in
                try SettingsList.drop(of: name, keys, in: folder)
                return ["dropped"]
            }
        }
    }
}

/// The server or, if none runs, the state folder whose settings a command uses.
struct ServerChoice: ParsableArguments {
    @Option(help: "The configuration file of the server; ./apus.yml or /etc/apus/apus.yml by default.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port takes 1 to 65535, not \(port)") }
    }

    /// Prints the answer of the server or, if none runs, that of `offline`, which gets the state folder and the configuration file.
    fileprivate func print(
        _ request: SettingsRequest, offline: (StateFolder, String?) throws -> [String]
    ) throws {
        do {
            let lines: [String]
            do {
                lines = try RunningServer(config: config, port: port).ask(.settings(request)).lines
            } catch let error as RunningServer.Unreachable where error.isAbsent && port == nil {
                guard let folder = StateFolder.usual else { throw error }
                lines = try offline(folder, config)
            }
            writeToStandardOutput(lines.map { "\($0)\n" }.joined())
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }
}
