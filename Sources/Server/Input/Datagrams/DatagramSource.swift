import Capture
import Connecting
import Logging
import Streams

/// The source of a path to which a transport stream comes in datagrams: received here, and read by FFmpeg.
func makeDatagramSource(
    _ url: String, _ path: Configuration.Path, permittedBy destinations: PermittedDestinations, log: Logger
) -> any PathSource {
    let name = withoutCredentials(url)
    let reception = DatagramReception(
        label: name, transport: (try? DatagramURL(url))?.transport ?? "UDP")
    return ReopenedSource(label: name, path: path, received: { reception.input }) { (path) throws(SourceFailure) in
        let target: DatagramURL
        do throws(DatagramURLError) {
            target = try DatagramURL(url)
        } catch {
            throw SourceFailure(reason: "\(name): \(error)")
        }
        guard !target.address.isMulticast || destinations.permits(target.address, refusingLocal: false) else {
            throw SourceFailure(
                reason: "connections to the address of \(name) are not permitted",
                remedy: "change access.connectAllow or access.connectDeny to permit it",
                leastPauseMilliseconds: RestartSchedule.refusalPauseMilliseconds)
        }
        return FileSource(
            url: url, name: name, loops: path.loop, encoding: EncodingSettings(path),
            makeOpener: { interruption in
                DatagramResources(target, noting: reception, interruption: interruption, log: log)
            }, log: log)
    }
}
