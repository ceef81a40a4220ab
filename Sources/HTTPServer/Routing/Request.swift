import HTTP
import NIOHTTP1
import RTSP

/// A request that has been authorised.
public struct Request: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let body: [UInt8]
    public let client: Client
    /// The path of the stream that it names, with its leading slash; `nil` if its route names none.
    public let streamPath: String?
    /// The user and the rights of the client.
    public let grant: Grant
    let headers: HTTPHeaders
    /// The client, as the access policy judges it.
    let identity: ClientIdentity

    /// The values of a header, in their order.
    public func values(of header: String) -> [String] { headers[header] }

    /// Whether `If-None-Match` names this entity tag. Weak and strong tags are equal here (RFC 9110, section 13.1.2).
    public func knows(_ entityTag: String) -> Bool {
        values(of: "If-None-Match").flatMap { $0.split(separator: ",") }.contains { item in
            let tag = item.filter { $0 != " " && $0 != "\t" }
            return tag == "*" || tag == entityTag || tag == "W/" + entityTag
        }
    }

    /// The methods that routes may have.
    public enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case options = "OPTIONS"

        /// Whether a request with this method changes nothing (RFC 9110, section 9.2.1).
        public var isSafe: Bool { [.get, .head, .options].contains(self) }
    }
}

/// The client of a request.
public struct Client: Hashable, Sendable {
    /// Its numeric address; that which a trusted proxy states, if there is one.
    public let address: String
    /// The address and port of the connection; the address alone if a trusted proxy states it.
    public let peer: String
    public let security: ConnectionSecurity
    /// Its `User-Agent`; empty if it sent none.
    public let userAgent: String
    /// Whether it is on this host, and no proxy is on the way.
    public let isLoopback: Bool
    /// The numeric address of this server that the connection came to.
    public let serverAddress: String
}
