import ArgumentParser
import Server

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List what this host has: cameras, microphones, and the encoders that work.",
        discussion:
            "Each encoder is opened and tried with a picture. What is printed of a device can be written into the "
            + "configuration as it stands.")

    @Flag(help: "For machines.")
    var json = false

    func run() {
        let report = DeviceReport()
        writeToStandardOutput(json ? report.json : report.text)
    }
}
