import ArgumentParser
import Server

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the cameras, microphones and encoders of this host.",
        discussion:
            "Each encoder is tested with a frame. The printed names can be copied into the configuration.")

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() {
        let report = DeviceReport()
        writeToStandardOutput(json ? report.json : report.text)
    }
}
