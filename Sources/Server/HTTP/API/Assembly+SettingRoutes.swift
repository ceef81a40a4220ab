import FoundationEssentials
import HTTPServer
import Streams

extension Assembly {
    /// The settings of a path.
    func settingRoutes() -> [Route] {
        [
            Route(.path("/api/v1/settings"), for: .named(.control), parameters: ["path"]) {
                [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    return request.json(
                        SettingsAnswer(lines: nil, settings: try assembly.listedSettings(at: request.requiredPath())))
                }
            },
            Route(.path("/api/v1/settings"), [.patch], for: .named(.control), parameters: ["path"]) {
                [weak self] request, exchange in
                // Filters are tested with their input, and the file is written to the disk: both may block.
                self?.answerFromBlockingThread(exchange) { (assembly) throws(Problem) in
                    return try assembly.changeSettings(request)
                }
            },
        ]
    }

    private func changeSettings(_ request: Request) throws(Problem) -> Response {
        let path = try request.requiredPath()
        let wanted: [String: SettingValue?] = try request.jsonBody()
        let former = request.json(SettingsAnswer(lines: nil, settings: try listedSettings(at: path)))
        if let condition = request.values(of: "If-Match").first, condition != "*",
            condition != former.headers.first(where: { $0.name == "ETag" })?.value
        {
            throw Problem(.preconditionFailed, "the settings have changed since they were read")
        }
        do throws(SettingFailure) {
            let change = try self.change(wanted, of: String(path.dropFirst()), by: request.grant.user)
            var lines = change.changes.map(\.description)
            if lines.isEmpty { lines = ["nothing has changed: the settings have these values already"] }
            if let loss = change.lossAtRestart { lines.append("the change is lost at the next start: \(loss)") }
            return request.json(SettingsAnswer(lines: lines, settings: try settingsAfterChange(at: path)))
        } catch {
            throw Problem(error)
        }
    }

    private func listedSettings(at path: String) throws(Problem) -> [PathSetting] {
        guard let settings = settings(of: String(path.dropFirst())) else {
            throw Problem(.notFound, "there is no path \(printable(path))")
        }
        return settings
    }

    private func settingsAfterChange(at path: String) throws(SettingFailure) -> [PathSetting] {
        // The path may have been removed meanwhile.
        settings(of: String(path.dropFirst())) ?? []
    }
}

/// The settings of a path, and what a change has done.
private struct SettingsAnswer: Encodable {
    let lines: [String]?
    let settings: [PathSetting]
}

extension Problem {
    /// The refusal of a change, in which nothing has changed.
    fileprivate init(_ failure: SettingFailure) {
        let detail = failure.reasons.joined(separator: "; ")
        switch failure.kind {
        case .noPath: self.init(.notFound, detail)
        case .notOverHTTP: self.init(.forbidden, detail)
        case .invalid: self.init(.unprocessableContent, detail)
        case .isEnding: self.init(.serviceUnavailable, detail, retryAfter: 1)
        }
    }
}
