import FoundationEssentials
import HTTPServer
import Logging
import RTSP

extension Assembly {
    /// The log, the users and the devices: what an operator of the whole server may see.
    func administrationRoutes() -> [Route] {
        [
            Route(.path("/api/v1/log"), for: .server(.control), parameters: ["lines", "after", "level"]) {
                [logTail] request, exchange in
                do throws(Problem) {
                    guard request.grant.admits(.status, nil) else {
                        throw Problem(.forbidden, "the log also needs the right status")
                    }
                    let count = try request.number("lines", in: 1...LogTail.capacity, standard: 200)
                    let after = try request.number("after", in: 0...Int.max, standard: 0)
                    let level = try Self.level(request.target.query["level"])
                    let lines = logTail.lines(after: UInt64(after), from: level).suffix(count)
                    exchange.respond(request.json(["lines": Array(lines)]))
                } catch {
                    exchange.refuse(error)
                }
            },
            Route(.path("/api/v1/users"), for: .server(.control), parameters: []) { [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let users = assembly.state.withLock(\.configuration.users)
                    return request.json(["users": users.sorted { $0.key < $1.key }.map(UserLine.init)])
                }
            },
            Route(.path("/api/v1/devices"), for: .server(.control), parameters: []) { [weak self] request, exchange in
                self?.answerFromBlockingThread(exchange) { (_) throws(Problem) in
                    return request.json(DeviceReport())
                }
            },
        ]
    }

    private static func level(_ text: String?) throws(Problem) -> Logger.Level {
        guard let text else { return .trace }
        guard let level = Logger.Level(rawValue: text) else {
            let all = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.badRequest, "level: is one of \(all)")
        }
        return level
    }
}

/// A user without the password.
private struct UserLine: Encodable {
    let name: String
    let read: [String]
    let publish: [String]
    let control: [String]
    let status: Bool
    let allow: [String]
    let deny: [String]

    init(_ name: String, _ user: Configuration.User) {
        self.name = name
        read = user.read.map(\.description)
        publish = user.publish.map(\.description)
        control = user.control.map(\.description)
        status = user.status
        allow = user.allow.map { "\($0)" }
        deny = user.deny.map { "\($0)" }
    }
}
