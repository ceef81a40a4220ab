import Logging
import Streams

extension CaptureDevice {
    /// Sets controls by name; one that cannot be set is logged and keeps nothing away.
    func adjust(_ values: [String: String], log: Logger) {
        guard !values.isEmpty else { return }
        let known = controls
        for (name, text) in values.sorted(by: { $0.key < $1.key }) {
            guard let control = known.first(where: { $0.name == CameraControl.name(of: name) }) else {
                let nearest = nearestName(to: name, among: known.map(\.name)).map { "did you mean \($0)?" }
                log.warning("the camera has no control \(name); \(nearest ?? "see `apus devices`")")
                continue
            }
            do throws(CameraControl.InvalidValue) {
                let value = try control.value(of: text)
                do throws(SourceFailure) { try set(control, to: value) } catch { log.warning("\(error.reason)") }
            } catch {
                log.warning("\(error.reason)")
            }
        }
    }
}
