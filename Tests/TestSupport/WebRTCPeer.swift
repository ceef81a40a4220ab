import Media
import RTP
import Reactor
import TLS
import WebRTC
import WebRTCClient

/// A client of WebRTC on this host: it checks, shakes hands, and exchanges packets over UDP or TCP.
public final class WebRTCPeer {
    public enum Way: Sendable {
        case udp
        case tcp
    }

    public let identity: DTLSIdentity
    private var way: Way
    private let credentials = ICECredentials(userFragment: "peer", password: "0123456789012345678901")!
    private var socket: LoopbackSocket?
    /// Those that it has moved from, which stay open.
    private var formerSockets: [LoopbackSocket] = []
    private var frames = FramedDatagrams()
    private var transport: PeerTransport?
    /// Where the server is, and its credentials.
    private var server: PeerTransport.Peer?
    /// The port of the server by the answer, for UDP and for TCP.
    public private(set) var port = 0
    /// The RTP packets that have come, each with its payload.
    public private(set) var packets: [(header: Header, payload: [UInt8])] = []
    public private(set) var reports: [ControlPacket] = []
    /// Datagrams of any kind that have come.
    public private(set) var datagramCount = 0

    /// - Parameter certificate: by default a new one.
    public init(_ way: Way = .udp, with certificate: SelfSignedCertificate? = nil) throws {
        self.way = way
        identity = try DTLSIdentity(certificate ?? SelfSignedCertificate(for: [.host("peer")], days: 30))
    }

    /// An offer for one video track, as browsers write it.
    public func offer(_ direction: String = "recvonly") -> String {
        """
        v=0\r
        o=- 1 2 IN IP4 127.0.0.1\r
        s=-\r
        t=0 0\r
        a=group:BUNDLE 0\r
        m=video 9 UDP/TLS/RTP/SAVPF 96 97\r
        c=IN IP4 0.0.0.0\r
        a=rtcp:9 IN IP4 0.0.0.0\r
        a=ice-ufrag:\(credentials.userFragment)\r
        a=ice-pwd:\(credentials.password)\r
        a=fingerprint:\(DTLSFingerprint(sha256: identity.fingerprint).attributeValue)\r
        a=setup:actpass\r
        a=mid:0\r
        a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay\r
        a=extmap:5 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\r
        a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:mid\r
        a=\(direction)\r
        a=rtcp-mux\r
        a=rtcp-rsize\r
        a=rtpmap:96 H264/90000\r
        a=rtcp-fb:96 nack\r
        a=rtcp-fb:96 nack pli\r
        a=rtcp-fb:96 transport-cc\r
        a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f\r
        a=rtpmap:97 rtx/90000\r
        a=fmtp:97 apt=96\r

        """
    }

    /// The offer of another client, with this one's credentials and fingerprint.
    public func offer(like other: String) -> String {
        var own: [String: String] = [:]
        for line in offer().split(separator: "\r\n") { own[Self.name(of: line)] = String(line) }
        let replaced = ["a=ice-ufrag", "a=ice-pwd", "a=fingerprint"]
        return other.split(separator: "\r\n").map { line in
            let name = Self.name(of: line)
            return (replaced.contains(name) ? own[name] ?? "" : String(line)) + "\r\n"
        }.joined()
    }

    /// The part of a line before the colon.
    private static func name(of line: Substring) -> String { String(line.prefix { $0 != ":" }) }

    /// Takes the answer.
    ///
    /// - Parameter password: replaces that of the answer.
    public func accept(_ text: String, password: String? = nil) throws {
        let answer = try ReceivedAnswer(parsing: Array(text.utf8))
        var server = PeerTransport.Peer(answer, candidateCount: 1)
        if let password {
            server.credentials =
                ICECredentials(userFragment: answer.credentials.userFragment, password: password) ?? server.credentials
        }
        self.server = server
        port = Int(answer.candidates.first?.port ?? 0)
        socket = try LoopbackSocket(port: port, isDatagram: way == .udp)
        transport = PeerTransport(as: identity, credentials, to: server, at: .now())
    }

    /// Continues from another port, and nominates it, as a client whose network has changed.
    ///
    /// - Parameter other: over UDP or TCP; by default as before.
    public func move(to other: Way? = nil) throws {
        if let socket { formerSockets.append(socket) }
        way = other ?? way
        socket = try LoopbackSocket(port: port, isDatagram: way == .udp)
        send(check())
    }

    /// Closes the sockets that it has moved from.
    public func closeFormerSockets() { formerSockets = [] }

    /// Whether a connectivity check was answered.
    public var isChecked: Bool { transport?.shortestRoundTrip != nil }

    public var isEstablished: Bool { own != nil }

    /// The key of its own packets; `nil` before the handshake is complete.
    public var own: MasterKey? { transport?.keys?.own }

    /// Whether the server has closed the DTLS connection.
    public var isEnded: Bool { if case .ended = transport?.phase { true } else { false } }

    /// Exchanges datagrams until a condition holds.
    ///
    /// - Returns: whether it has held within this time.
    public func run(within seconds: Double = 30 * Sanitizer.patience, until condition: () -> Bool) -> Bool {
        let end = MonotonicTime.now().advanced(byMilliseconds: Int64(seconds * 1_000))
        while !condition() {
            let now = MonotonicTime.now()
            guard now < end else { return false }
            transport?.deadlinePassed(at: now)
            flush()
            guard let bytes = socket?.receive(within: 0.02), !bytes.isEmpty else { continue }
            for datagram in datagrams(in: bytes) { received(datagram) }
            flush()
        }
        return true
    }

    private func datagrams(in bytes: [UInt8]) -> [[UInt8]] {
        guard way == .tcp else { return [bytes] }
        frames.append(bytes.span.bytes)
        var datagrams: [[UInt8]] = []
        while let datagram = try? frames.next() { datagrams.append(datagram) }
        return datagrams
    }

    public func send(_ datagram: [UInt8]) { socket?.send(way == .tcp ? FramedDatagrams.framed(datagram) : datagram) }

    private func flush() { transport?.takeOutput { datagram, _ in send(datagram) } }

    /// A connectivity check as it is sent.
    ///
    /// - Parameters:
    ///   - password: replaces that of the answer.
    ///   - attributes: come behind the name and the priority.
    public func check(
        password: String? = nil, _ attributes: [STUNAttribute] = [.controlling(7), .useCandidate]
    ) -> [UInt8] {
        let name = "\(server?.credentials.userFragment ?? ""):\(credentials.userFragment)"
        var message = STUNMessage(.request, transaction: STUNTransaction(high: 1, low: .random(in: 0 ... .max)))
        message.attributes = [.userName(name), .priority(1)] + attributes
        let key = password ?? server?.credentials.password ?? ""
        return message.encoded(key: Array(key.utf8)) { HMACSHA1.code(of: $0, key: $1) }
    }

    private func received(_ datagram: [UInt8]) {
        datagramCount += 1
        let address = TransportAddress(host: .ipv4(0x7F00_0001), port: 1)
        guard let transport,
            transport.received(datagram.span.bytes, from: 0, at: address, at: .now()) != nil,
            let plain = transport.opened(datagram.span.bytes)
        else { return }
        if let compound = try? Compound(parsing: plain, allowsReducedSize: true) {
            reports += compound.packets
        } else if let (header, payload) = Header.parse(plain) {
            packets.append((header, [UInt8](plain.extracting(payload))))
        }
    }

    /// An RTCP packet as it is sent.
    public func sealed(_ packet: ControlPacket) -> [UInt8]? { transport?.sealed(Compound([packet]).encoded()) }

    /// Sends an RTCP packet.
    public func send(_ packet: ControlPacket) {
        if let bytes = sealed(packet) { send(bytes) }
    }

    /// Sends an RTCP packet that a test has written by hand.
    public func send(report: [UInt8]) {
        if let bytes = transport?.sealed(report) { send(bytes) }
    }

    /// Closes the DTLS connection.
    public func close() {
        transport?.close()
        flush()
    }
}
