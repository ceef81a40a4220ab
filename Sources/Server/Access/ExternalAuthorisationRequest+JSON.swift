import FoundationEssentials
import RTSP

extension ExternalAuthorisationRequest {
    /// The fields with the names of MediaMTX, so that a web server that answers MediaMTX can answer Apus.
    private struct Form: Encodable {
        let user: String
        let password: String
        /// For clients that send a token in a header; RTSP clients send it in the query.
        let token = ""
        let ip: String
        let action: String
        let path: String
        let `protocol`: String
        let id: String
        let query: String
        let userAgent: String
    }

    /// The body of the HTTP POST.
    func json(for connection: String) throws -> [UInt8] {
        let form = Form(
            user: user, password: password, ip: address, action: right.rawValue, path: path,
            protocol: application.rawValue + (security == .tls ? "s" : ""), id: connection, query: query,
            userAgent: userAgent)
        return Array(try JSONEncoder().encode(form))
    }
}
