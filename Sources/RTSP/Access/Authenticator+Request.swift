import RTP

extension Authenticator {
    /// A request to authorise, before it is validated.
    public struct AuthorisationRequest {
        let method: Method
        /// The target of the request as the client wrote it.
        let target: String
        /// The URL of a request over RTSP; `nil` for `*`, an invalid URL, and over HTTP.
        let url: RequestURL?
        /// The values of the header `Authorization`.
        let authorization: [String]
        let userAgent: String
        /// The undecoded query without `?`.
        let query: String
        /// The path of the stream, without a track's name; `nil` for the server as a whole.
        let path: String?
        let right: Right
        /// Tells a client of ``SATIP``, which does not support challenges.
        let encapsulation: RTPEncapsulation
        let application: ExternalAuthorisationRequest.Application
        /// What a client of RTMP or SRT has presented; `nil` over RTSP and HTTP.
        let login: Login?

        /// A request over RTSP.
        ///
        /// - Parameter path: `nil` for that of the URL. In a DESCRIBE the whole path counts, because it never contains a track's name.
        init(message: Request, url: RequestURL?, path: String? = nil, right: Right, encapsulation: RTPEncapsulation) {
            (method, target, self.url) = (message.method, message.target, url)
            (self.right, self.encapsulation, application) = (right, encapsulation, .rtsp)
            login = nil
            self.path = path ?? (message.method == .describe ? url?.wholePath : url?.path)
            authorization = message.headers.values(of: .authorization)
            userAgent = message.headers[.userAgent] ?? ""
            query = url?.query ?? ""
        }

        /// A request over HTTP.
        ///
        /// - Parameter target: path and query as the client wrote them, which its credentials must name.
        public init(
            method: String, target: String, authorization: [String], userAgent: String, query: String, path: String?,
            right: Right
        ) {
            (self.method, self.target, url) = (Method(rawValue: method), target, nil)
            (self.authorization, self.userAgent, self.query) = (authorization, userAgent, query)
            (self.path, self.right, encapsulation, application) = (path, right, .tracks, .http)
            login = nil
        }

        /// A request over RTMP.
        ///
        /// - Parameter login: `nil` if the client has presented nothing.
        public init(rtmp right: Right, path: String, login: Login?, userAgent: String, query: String) {
            (method, target, url, authorization) = (.play, path, nil, [])
            (self.userAgent, self.query, self.login) = (userAgent, query, login)
            (self.path, self.right, encapsulation, application) = (path, right, .tracks, .rtmp)
        }

        /// A handshake of SRT.
        ///
        /// - Parameter login: `nil` if the caller has presented nothing.
        public init(srt right: Right, path: String, login: Login?, query: String) {
            (method, target, url, authorization) = (.play, path, nil, [])
            (userAgent, self.query, self.login) = ("", query, login)
            (self.path, self.right, encapsulation, application) = (path, right, .tracks, .srt)
        }
    }

    /// The result of an authorisation.
    public enum Outcome {
        case granted(Grant)
        /// An external service must decide; call ``admit(_:)`` if it admits the request.
        case needsExternalDecision(ExternalAuthorisationRequest)
    }
}
