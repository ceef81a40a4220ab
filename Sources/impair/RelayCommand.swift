import ArgumentParser
import FoundationEssentials
import Impairment
import Reactor

struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Relay packets between two TUN devices until SIGTERM; then print statistics as JSON.")

    @Option(help: "The TUN device to which the packets of the server are routed.")
    var serverDevice: String

    @Option(help: "The TUN device to which the packets of the client are routed.")
    var clientDevice: String

    @Option(help: "The seed of all random decisions.")
    var seed: UInt64 = 1

    @Option(help: "What happens from the client to the server.", transform: { try Timetable($0) })
    var up = Timetable(Impairments())

    @Option(help: "What happens from the server to the client.", transform: { try Timetable($0) })
    var down = Timetable(Impairments())

    func run() throws {
        Signals.block()
        let loop = try EventLoop(name: "relay")
        let relay = Relay(
            server: try TUNDevice(serverDevice), client: try TUNDevice(clientDevice),
            up: Link(up, seed: seed, direction: .up), down: Link(down, seed: seed, direction: .down))
        try relay.register(on: loop)
        try loop.start(relay)
        _ = Signals.waitForTermination()
        loop.stop()
        loop.join()
        print(try relay.report.json)
    }
}

extension RelayReport {
    fileprivate var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
