import Connecting
import HTTP
import Media
import RTSP
import Reactor

/// One HTTP request over a connection of its own, and its response. Answers one challenge for a password, over another connection if the
/// server closes the first one behind its challenge. Loop thread only.
final class SignallingExchange {
    /// A request without the headers that all have.
    struct Request {
        let method: String
        /// Path and query, still encoded.
        let target: String
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
    }

    private let request: Request
    private let authority: String
    private let userAgent: String
    private var link: ServerLink
    private let newLink: () -> ServerLink
    /// The credentials; they know the server's challenge after it.
    private(set) var login: ClientLogin?
    private var reader = ResponseReader()
    private var isSent = false
    private var hasAnsweredChallenge = false
    /// Whether the request is repeated over another connection.
    private var needsNewLink = false
    private var hasNewLink = false
    private let deadline: MonotonicTime
    /// The response to the last request.
    private(set) var response: ReceivedResponse?
    private(set) var failure: PlaybackFailure?
    /// How long the response may take, with the connection.
    private let seconds: Int64

    /// - Parameter login: the credentials, which know the challenge of an earlier exchange.
    init(
        _ request: Request, of plan: PlaybackPlan, _ login: ClientLogin?, seconds: Int64, on watcher: any SocketWatcher,
        newToken: @escaping () -> Token, at now: MonotonicTime
    ) {
        (self.request, self.login, self.seconds) = (request, login, seconds)
        (authority, userAgent) = (plan.endpoint.authority, plan.userAgent)
        newLink = { ServerLink(plan.connection, on: watcher, newToken: newToken) }
        link = newLink()
        deadline = now.advanced(byMilliseconds: seconds * 1_000)
    }

    /// Whether the connection is established.
    var isConnected: Bool { isSent }
    var isComplete: Bool { response != nil || failure != nil }
    /// When to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime { isComplete ? .distantFuture : deadline }

    func close() { link.close() }

    func deadlinePassed(at now: MonotonicTime) {
        guard !isComplete, now >= deadline else { return }
        failure = isSent ? .noResponse(seconds: seconds) : .connection(link.delay)
    }

    func handle(_ readiness: Readiness, _ buffers: inout ReceiveBuffers, at now: MonotonicTime) {
        link.handle(readiness, &buffers, at: now) { received($0) }
        settle()
    }

    /// Sends the request when the connection is established, and notes why it fails.
    func settle() {
        guard !isComplete else { return }
        if link.isOpen, !isSent {
            isSent = true
            send()
        }
        link.flush()
        if link.failure != nil || link.hasEnded { connectionEnded() }
        if needsNewLink { openNewLink() }
    }

    private func connectionEnded() {
        if hasAnsweredChallenge, !hasNewLink, reader.hasNothing {
            // A server may close its connection behind a response without saying so (RFC 9112, section 9.5). If it has made a session all the
            // same, no client checks that one, so that it ends soon.
            needsNewLink = true
        } else if let reason = link.failure {
            failure = .connection(reason)
        } else {
            receivedEnd()
        }
    }

    private func openNewLink() {
        link.close()
        link = newLink()
        (hasNewLink, needsNewLink, isSent) = (true, false, false)
        if let reason = link.failure { failure = .connection(reason) }
    }

    private func send() {
        var lines = [
            "\(request.method) \(request.target) HTTP/1.1", "Host: \(authority)", "User-Agent: \(userAgent)",
        ]
        lines += request.headers.map { "\($0.name): \($0.value)" }
        if let authorization = login?.authorization(for: Method(rawValue: request.method), request.target) {
            lines.append("Authorization: \(authorization)")
        }
        if !request.body.isEmpty { lines.append("Content-Length: \(request.body.count)") }
        link.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + request.body)
    }

    private func received(_ bytes: Span<UInt8>) {
        guard isSent, !isComplete else { return }
        do throws(ResponseFailure) {
            let part = bytes.withUnsafeBufferPointer { Array($0) }
            if let complete = try reader.received(part) { completed(complete, isConnectionUsable: complete.persists) }
        } catch {
            failed(error)
        }
    }

    private func receivedEnd() {
        do throws(ResponseFailure) {
            completed(try reader.receivedEnd(), isConnectionUsable: false)
        } catch {
            failed(error)
        }
    }

    private func failed(_ error: ResponseFailure) {
        // Only the answer to an offer needs its whole body. Others explain a refusal, such as by a page.
        guard case .bodyTooLong = error, reader.response.status != 201 else { return failure = .response(error) }
        completed(reader.response, isConnectionUsable: false)
    }

    private func completed(_ response: ReceivedResponse, isConnectionUsable: Bool) {
        guard response.status == 401 else { return self.response = response }
        guard login != nil else { return failure = .passwordRequired }
        guard !hasAnsweredChallenge, login?.handleChallenges(response.values(of: "WWW-Authenticate")) == true else {
            return failure = .wrongPassword
        }
        hasAnsweredChallenge = true
        reader = ResponseReader()
        if isConnectionUsable { send() } else { needsNewLink = true }
    }
}
