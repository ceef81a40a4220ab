import Media
import RTP
import Reactor
import SRTP
import TLS
import WebRTC

/// A client of WebRTC on this host: it checks, shakes hands, and exchanges packets over UDP or TCP.
public final class WebRTCPeer {
    public enum Way: Sendable {
        case udp
        case tcp
    }

    public let identity: DTLSIdentity
    private let way: Way
    private let fragment = "peer"
    private var socket: LoopbackSocket?
    private var frames = FramedDatagrams()
    private var answer: [String: String] = [:]
    private var dtls: DTLSConnection?
    private var incoming: IncomingProtection?
    /// The key of its own packets; `nil` before the handshake is complete.
    public private(set) var own: MasterKey?
    private var outgoing: OutgoingReports?
    private var lastCheck = MonotonicTime(nanoseconds: .min / 2)
    public private(set) var isChecked = false
    /// The RTP packets that have come, each with its payload.
    public private(set) var packets: [(header: Header, payload: [UInt8])] = []
    public private(set) var reports: [ControlPacket] = []
    /// Datagrams of any kind that have come.
    public private(set) var datagramCount = 0

    public init(_ way: Way = .udp) throws {
        self.way = way
        identity = try DTLSIdentity(SelfSignedCertificate(for: [.host("peer")], days: 30))
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
        a=ice-ufrag:\(fragment)\r
        a=ice-pwd:0123456789012345678901\r
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

    /// Takes the answer.
    ///
    /// - Parameter password: replaces that of the answer.
    public func accept(_ text: String, password: String? = nil) throws {
        for line in text.split(separator: "\r\n") where line.hasPrefix("a=") {
            let parts = line.dropFirst(2).split(separator: ":", maxSplits: 1)
            if parts.count == 2, answer[String(parts[0])] == nil { answer[String(parts[0])] = String(parts[1]) }
        }
        if let password { answer["ice-pwd"] = password }
        let fields = (answer["candidate"] ?? "").split(separator: " ")
        let port = fields.count > 5 ? Int(fields[5]) ?? 0 : 0
        socket = try LoopbackSocket(port: port, isDatagram: way == .udp)
    }

    public var isEstablished: Bool { incoming != nil }

    /// Whether the server has closed the DTLS connection.
    public var isEnded: Bool { dtls?.phase == .ended }

    /// Exchanges datagrams until a condition holds.
    ///
    /// - Returns: whether it has held within this time.
    public func run(within seconds: Double = 10 * Sanitizer.patience, until condition: () -> Bool) -> Bool {
        let end = MonotonicTime.now().advanced(byMilliseconds: Int64(seconds * 1_000))
        while !condition() {
            let now = MonotonicTime.now()
            guard now < end else { return false }
            if !isChecked, now - lastCheck > 100_000_000 {
                lastCheck = now
                sendCheck()
            }
            if let dtls {
                dtls.deadlinePassed(at: now)
                flush(dtls)
            }
            guard let bytes = socket?.receive(within: 0.02), !bytes.isEmpty else { continue }
            for datagram in datagrams(in: bytes) { received(datagram) }
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

    private func sendCheck() {
        var message = STUNMessage(.request, transaction: STUNTransaction(high: 1, low: .random(in: 0 ... .max)))
        message.attributes = [
            .userName("\(answer["ice-ufrag"] ?? ""):\(fragment)"), .priority(1), .controlling(7), .useCandidate,
        ]
        send(
            message.encoded(key: Array((answer["ice-pwd"] ?? "").utf8)) { HMACSHA1.code(of: $0, key: $1) })
    }

    private func received(_ datagram: [UInt8]) {
        datagramCount += 1
        switch DatagramKind(datagram.span.bytes) {
        case .stun: receivedAnswer(datagram)
        case .dtls:
            dtls?.received(datagram.span.bytes, at: .now())
            if let dtls { proceed(dtls) }
        case .rtp, .rtcp: receivedMedia(datagram)
        case nil: break
        }
    }

    private func receivedAnswer(_ datagram: [UInt8]) {
        guard !isChecked, STUNMessage(parsing: datagram.span.bytes)?.kind == .success else { return }
        isChecked = true
        let digits = (answer["fingerprint"] ?? "").split(separator: " ").last ?? ""
        let fingerprint = digits.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        dtls = try? DTLSConnection(.client, as: identity, peerFingerprint: fingerprint, at: .now())
        if let dtls { flush(dtls) }
    }

    private func proceed(_ dtls: DTLSConnection) {
        flush(dtls)
        guard incoming == nil, case .established(let keys) = dtls.phase else { return }
        let suite: CipherSuite = keys.profile == .gcm ? .gcm : .counterMode
        guard let own = MasterKey(suite, material: keys.client), let peer = MasterKey(suite, material: keys.server)
        else { return }
        self.own = own
        incoming = try? IncomingProtection(SenderKey(peer))
        outgoing = try? OutgoingReports(own)
    }

    private func flush(_ dtls: DTLSConnection) { dtls.takeOutput { send([UInt8]($0)) } }

    private func receivedMedia(_ datagram: [UInt8]) {
        guard let incoming, let plain = incoming.opened(datagram.span.bytes) else { return }
        if let compound = try? Compound(parsing: plain, allowsReducedSize: true) {
            reports += compound.packets
        } else if let (header, payload) = Header.parse(plain) {
            packets.append((header, [UInt8](plain.extracting(payload))))
        }
    }

    /// An RTCP packet as it is sent.
    public func sealed(_ packet: ControlPacket) -> [UInt8]? { outgoing?.sealed(Compound([packet]).encoded()) }

    /// Sends an RTCP packet.
    public func send(_ packet: ControlPacket) {
        if let bytes = sealed(packet) { send(bytes) }
    }

    /// Closes the DTLS connection.
    public func close() {
        dtls?.close()
        if let dtls { flush(dtls) }
    }
}
