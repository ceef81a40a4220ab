/// The dialect of SAT>IP clients (SAT>IP Protocol Specification 1.2.2, section 3.5), as far as VLC 3.0 uses it.
///
/// The VLC of Debian and Ubuntu is built without live555. It opens every `rtsp` URL with its SAT>IP client, as if the server were
/// a satellite receiver:
/// ```
/// SETUP rtsp://host:8554/cam        Transport: RTP/AVP;unicast;client_port=9000-9001, or RTP/AVP;multicast
///     200  Session: …;timeout=60   com.ses.streamID: 7
/// PLAY rtsp://host:8554/stream=7    50 ms later
/// OPTIONS rtsp://host:8554/stream=7 5 s before each timeout
/// TEARDOWN rtsp://host:8554/stream=7
/// ```
/// Its peculiarities:
/// - The client sends neither DESCRIBE nor `User-Agent`. The specification's DESCRIBE (section 3.5.7) lists the streams of all
///   clients and is not supported.
/// - After SETUP, a stream number replaces the path. The number is valid only together with the session ID.
/// - The URL is in lower case, including user and password. The code that answers the SETUP must find the path ignoring case.
/// - After SETUP, an IPv6 address has no brackets: `PLAY rtsp://::1:8554/stream=7`.
/// - The client receives media on IPv4 sockets, even if the connection uses IPv6: ``mediaAddress(forPeer:)``.
/// - A real receiver is tuned by the query of the URL and by later SETUPs and PLAYs. None of this is supported.
public enum SATIP {
    /// The minimum duration of the fast start, in milliseconds: VLC's default buffer (`live-caching`).
    ///
    /// VLC must decode all frames of the fast start in this time. After more than eleven late frames in a row it drops frames
    /// until the next IDR. If the encoder can make a keyframe on request, that is better for VLC than a fast start.
    public static let minimumFastStartMilliseconds: Int64 = 300

    /// Whether a request opens a SAT>IP session if no DESCRIBE came before it on the connection: a SETUP of the stream itself,
    /// for a new session, only over UDP.
    static func opens(_ request: ValidatedRequest) -> Bool {
        guard request.method == .setUp, !request.namesSession, let url = request.url, url.track == nil else {
            return false
        }
        // Ports are not checked here, so that a SAT>IP client with invalid ports gets an error about them.
        let offers = request.headers.list(of: .transport)
        return !offers.isEmpty
            && offers.allSatisfy { offer in
                let protocols = offer.pieces(separatedBy: ";").first ?? ""
                return ["RTP/AVP", "RTP/AVP/UDP"].contains(where: protocols.equalsIgnoringCase)
            }
    }

    /// The media address of a client that connects from `address`; `nil` if it has none.
    ///
    /// VLC 3.0's SAT>IP client receives only on IPv4 sockets. The IPv4 address of an IPv6 client is known only if the address is
    /// IPv4-mapped (RFC 4291, section 2.5.5.2) or the loopback address.
    ///
    /// - Parameter address: a literal without brackets and scope, as ``Endpoint/address``.
    public static func mediaAddress(forPeer address: String) -> String? {
        guard let address = IPAddress(address) else { return nil }
        if address == .loopback6 { return "127.0.0.1" }
        if case .ipv4 = address { return address.description }
        return nil
    }
}

extension RequestURL {
    /// The stream number in a URL `rtsp://host/stream=7` of SAT>IP.
    var streamID: UInt16? {
        guard track == nil, path.hasPrefix("/stream=") else { return nil }
        return path.dropFirst(8).decimal(maximumDigits: 5).flatMap(UInt16.init(exactly:))
    }

    /// The URL of the stream with number `id` on the same server.
    func url(ofStream id: UInt16) -> String {
        "rtsp://\(host)" + (port.map { ":\($0)" } ?? "") + "/stream=\(id)"
    }

    /// Whether the host is a literal IPv6 address that lacks one or both of the brackets of RFC 3986, section 3.2.2.
    ///
    /// `[::1` counts as well: its last group was read as the port.
    var hasBareIPv6Host: Bool {
        let isEnclosed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let forbidden = isEnclosed ? "[]" : "[]:"
        return (isEnclosed ? host.dropFirst().dropLast() : host[...]).utf8.contains(where: forbidden.utf8.contains)
    }
}

extension HeaderName {
    /// The stream number of a session. VLC compares the header's name including its case.
    static let streamID: HeaderName = "com.ses.streamID"
}
