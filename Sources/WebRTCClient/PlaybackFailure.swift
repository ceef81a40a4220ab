import Connecting
import FoundationEssentials
import HTTP
import TLS
import WebRTC

/// Why a session with a WHEP server has failed: a sentence without a full stop.
public enum PlaybackFailure: Error, Sendable, CustomStringConvertible {
    /// The connection to the web server was not established, or was lost.
    case connection(ConnectionFailure)
    /// The web server did not respond in time.
    case noResponse(seconds: Int64)
    /// What the web server sends is no response of HTTP.
    case response(ResponseFailure)
    case passwordRequired
    case wrongPassword
    /// The server has moved the stream to this URL.
    case moved(String)
    /// The server refuses: status and reason, and its explanation.
    case refused(String, detail: String?)
    /// The response has a status of success that is not that of WHEP.
    case otherSuccess(String)
    case answer(AnswerError)
    /// The answer names no address over UDP that this host can reach.
    case noCandidate
    /// No address of the answer has answered a connectivity check; `refusal` is an error that one has answered.
    case unreachable([String], seconds: Int64, refusal: String?)
    case handshake(TLSFailure)
    /// The keys of SRTP cannot be used.
    case noKeys
    /// No connectivity check has been answered for so long.
    case noConsent(seconds: Int64)
    case endedByServer

    public var description: String {
        switch self {
        case .connection(let failure): failure.description
        case .noResponse(let seconds): "the web server did not respond within \(seconds) s"
        case .response(let failure): "invalid HTTP from the server: \(failure)"
        case .passwordRequired: "the server requires a user and a password"
        case .wrongPassword: "wrong user or password"
        case .moved(let url): "the server has moved the stream to \(url)"
        case .refused(let status, let detail): detail.map { "\(status): \($0.printable)" } ?? status
        case .otherSuccess(let status): "\(status) instead of 201 Created, so it is not an address of WHEP"
        case .answer(let error): error.description.printable
        case .noCandidate: "the answer names no address over UDP that this host can reach"
        case .unreachable(let addresses, let seconds, let refusal):
            "no connectivity check was answered within \(seconds) s by \(addresses.joined(separator: ", "))"
                + (refusal.map { "; the server answered with error \($0.printable)" } ?? "; UDP may be blocked")
        case .handshake(let failure): "DTLS: \(failure)"
        case .noKeys: "DTLS: the handshake has made no keys"
        case .noConsent(let seconds): "the server has answered no connectivity check for \(seconds) s"
        case .endedByServer: "the server has ended the session"
        }
    }
}

extension String {
    /// The first part of a text from a server, for a line on a terminal: without control characters.
    fileprivate var printable: String {
        String(UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(200)))
    }
}

extension PlaybackFailure {
    /// - Returns: `nil` if the response is that to an accepted offer.
    init?(refusedBy response: ReceivedResponse) {
        switch response.status {
        case 201: return nil
        case 200..<300: self = .otherSuccess(response.statusLine)
        case 300..<400: self = .moved(response.value(of: "Location") ?? "another address")
        default: self = .refused(response.statusLine, detail: response.detail)
        }
    }

    /// - Parameter addresses: those of the answer.
    init(_ failure: PeerTransport.Failure, of addresses: [String]) {
        self =
            switch failure {
            case .expired(.noAnswer(let seconds, let refusal)):
                .unreachable(addresses, seconds: seconds, refusal: refusal)
            case .expired(.noConsent(let seconds)): .noConsent(seconds: seconds)
            case .handshake(let failure): .handshake(failure)
            case .identity(let failure): .connection(.noTLS(failure))
            case .noKeys: .noKeys
            }
    }
}

extension ReceivedResponse {
    /// What the server says about a refusal: the detail of RFC 9457, or the first line of plain text.
    fileprivate var detail: String? {
        struct Problem: Decodable {
            let detail: String?
        }
        let type = value(of: "Content-Type")?.lowercased() ?? ""
        if type.contains("json") {
            // A body that is no such JSON says nothing that a user can read.
            return (try? JSONDecoder().decode(Problem.self, from: Data(body)))?.detail
        }
        guard type.hasPrefix("text/plain") else { return nil }
        let line = String(decoding: body.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(200), as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}
