import ArgumentParser

/// The program behind script/impair: the relay, and the probes with which the script verifies it. Not part of a release.
@main
struct Impair: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "impair",
        abstract: "Relays packets with loss, delay and a rate limit. Started by script/impair.",
        subcommands: [RelayCommand.self, SendCommand.self, ReceiveCommand.self])
}
