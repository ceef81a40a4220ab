import ArgumentParser
import Server

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the cameras of this host, with their formats, sizes, rates and controls.",
        discussion: "What it prints of a camera can be written into the configuration as it stands.")

    @Flag(help: "For machines.")
    var json = false

    func run() {
        let report = DeviceReport()
        writeToStandardOutput(json ? report.json : report.text)
    }
}
