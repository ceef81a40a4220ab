import HTTP
import RTSP

extension Configuration {
    /// The HTTP server.
    public struct HTTP: Hashable, Sendable {
        /// 0 for no HTTP server.
        public var port = 8888
        public var tlsPort = 8889
        public var hosts: [Authority] = []
        public var trustedProxies: [AddressBlock] = []
        public var origins: [Origin] = []
        public var frameAncestors: [Origin] = []
        public var threads = 1

        public init() {}
    }
}

extension Schema<Configuration.HTTP> {
    static var http: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer(
                "port", \.port, in: 0...65_535, unit: "TCP port",
                "Port for http://, if tls.encryption is no or optional; 0 for no HTTP server at all, also without TLS. 8888 is "
                    + "the usual port of such servers for their pages."),
            .integer(
                "tlsPort", \.tlsPort, in: 1...65_535, unit: "TCP port",
                "Port for https://, if tls.encryption is optional or strict. It uses the certificate of rtsps://."),
            .list(
                "hosts", \.hosts, of: "host name such as cam.example",
                "Names by which clients may call this server, beside localhost, the name of this host, and its addresses. "
                    + "Requests with any other name are refused (421), because a web page whose name an attacker lets resolve to "
                    + "this server could otherwise use it. A name of the DNS, or of a proxy in front of this server, belongs "
                    + "here.",
                parse: { Authority($0).flatMap { $0.port == nil ? $0 : nil } }, show: \.description),
            .blocks(
                "trustedProxies", \.trustedProxies,
                "Addresses of proxies that tell the truth about their clients: the address in Forwarded or X-Forwarded-For is "
                    + "that of the client, for users, address lists and wrong passwords, and https in Forwarded or "
                    + "X-Forwarded-Proto means that the client uses TLS. A proxy that is not in this list counts as the client."
            ),
            .list(
                "origins", \.origins, of: "origin of a web page, such as https://home.example:8123",
                "Web pages of other servers that may use this one in a browser (CORS), with its user's rights.",
                parse: { Origin($0) }, show: \.description),
            .list(
                "frameAncestors", \.frameAncestors, of: "origin of a web page, such as https://home.example:8123",
                "Web pages of other servers that may show the pages of this one in a frame, such as the player /cam/?embed.",
                parse: { Origin($0) }, show: \.description),
            .integer(
                "threads", \.threads, in: 1...64,
                "Number of event loops for HTTP. One serves some hundred viewers."))
    }
}
