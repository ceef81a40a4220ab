import Logging

/// The answers to commands through the control socket.
extension Assembly {
    /// Executes a command. May be called from any thread. Blocks only while new filters open their input, not for sources and
    /// viewers.
    public func answer(_ request: ControlRequest) -> ControlResponse {
        switch request {
        case .set(let path, let assignments): set(pathName(path), assignments)
        case .settings(let request): settings(request)
        case .status(let hasPictureTimes): status(hasPictureTimes)
        }
    }

    private func status(_ hasPictureTimes: Bool) -> ControlResponse {
        guard let status = currentStatus(hasPictureTimes: hasPictureTimes) else {
            return .refused(["an event loop did not answer within a second: the server is overloaded"])
        }
        return ControlResponse(isDone: true, lines: [], status: status)
    }

    private func settings(_ request: SettingsRequest) -> ControlResponse {
        switch request {
        case .list: return .done(SettingsList(overlaidSettings(), problem: settingsFile.problem).lines)
        case .merge: return .done(SettingsList(overlaidSettings()).configurationLines)
        case .drop(let path, let keys):
            do throws(SettingFailure) {
                let change = try dropSettings(of: path.map(pathName), keys)
                let loss = change.lossAtRestart.map { ["the settings are back at the next start: \($0)"] } ?? []
                return .done(["dropped"] + change.changes.map(\.description) + loss)
            } catch {
                return .refused(error.reasons)
            }
        }
    }

    /// The name of a path that users may write with a slash.
    private func pathName(_ text: String) -> String { text.hasPrefix("/") ? String(text.dropFirst()) : text }

    private func set(_ name: String, _ assignments: [String]) -> ControlResponse {
        do throws(SettingFailure) {
            let changes = try set(assignments, of: name)
            for change in changes { log.notice("set: \(change)") }
            return .done(
                changes.isEmpty
                    ? ["nothing has changed: the options have these values already"] : changes.map(\.description))
        } catch {
            return .refused(error.reasons)
        }
    }
}
