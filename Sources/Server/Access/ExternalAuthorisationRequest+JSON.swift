import FoundationEssentials
import RTSP

extension ExternalAuthorisationRequest {
    /// The fields by the names that MediaMTX gives them, so that what answers it answers here too.
    private struct Form: Encodable {
        let user: String
        let password: String
        /// Of clients that send one in a header; those of RTSP have it in the query.
        let token = ""
        let ip: String
        let action: String
        let path: String
        let `protocol`: String
        let id: String
        let query: String
        let userAgent: String
    }

    /// As it is posted.
    func json(for connection: String) throws -> [UInt8] {
        let form = Form(
            user: user, password: password, ip: address, action: right.rawValue, path: path,
            protocol: security == .tls ? "rtsps" : "rtsp", id: connection, query: query, userAgent: userAgent)
        return Array(try JSONEncoder().encode(form))
    }
}
