/// The dialect of SAT>IP receivers (SAT>IP Protocol Specification 1.2.2, section 3.5), as far as VLC 3.0 speaks it.
///
/// The VLC of Debian and Ubuntu is built without live555. It opens every `rtsp` URL with its `satip` access, as if it
/// named a satellite receiver:
/// ```
/// SETUP rtsp://host:8554/cam        Transport: RTP/AVP;unicast;client_port=9000-9001, or RTP/AVP;multicast
///     200  Session: …;timeout=60   com.ses.streamID: 7
/// PLAY rtsp://host:8554/stream=7    50 ms later
/// OPTIONS rtsp://host:8554/stream=7 5 s before each timeout
/// TEARDOWN rtsp://host:8554/stream=7
/// ```
/// What is peculiar to it:
/// - There is no DESCRIBE, and no `User-Agent` to know it by. The specification's own DESCRIBE (section 3.5.7) lists the
///   streams of all clients and is not served.
/// - The path is gone after SETUP: the number stands for it, and means something only beside the session's name.
/// - The URL comes in lower case, user and password with it. So paths of this dialect are to be matched in any case;
///   that is up to whoever answers the SETUP.
/// - An IPv6 address loses its brackets behind SETUP: `PLAY rtsp://::1:8554/stream=7`.
/// - Media is received on IPv4 sockets, whatever the connection runs over: ``mediaAddress(forPeer:)``.
/// - A receiver is tuned by the URL's query, and by further SETUPs and PLAYs with others. None of that is served.
public enum SATIP {
    /// Least length of a prelude's window, in milliseconds: what VLC holds back by default (`live-caching`).
    ///
    /// Its decoder must get through all pictures of the prelude in that time. Once more than eleven in a row come out after
    /// they were to be shown, it drops pictures until the next IDR. So where the encoder makes an IDR on request, such a
    /// viewer is better off with that than with a prelude.
    public static let minimumFastStartMilliseconds: Int64 = 300

    /// Whether a request can only be the beginning of such a session, given that no DESCRIBE came before it on its
    /// connection: a SETUP of the stream itself, for a new session, over UDP alone.
    static func opens(_ request: ValidatedRequest) -> Bool {
        guard request.method == .setUp, !request.namesSession, let url = request.url, url.track == nil else {
            return false
        }
        // Ports are not looked at: whoever means this dialect and names bad ones is told so.
        let offers = request.headers.list(of: .transport)
        return !offers.isEmpty
            && offers.allSatisfy { offer in
                let protocols = offer.pieces(separatedBy: ";").first ?? ""
                return ["RTP/AVP", "RTP/AVP/UDP"].contains(where: protocols.isSame)
            }
    }
}

extension RequestURL {
    /// The number in a URL `rtsp://host/stream=7`, by which SAT>IP names what a session has set up.
    var streamID: UInt16? {
        guard track == nil, path.hasPrefix("/stream=") else { return nil }
        return path.dropFirst(8).decimal(maximumDigits: 5).flatMap(UInt16.init(exactly:))
    }

    /// The URL of a numbered stream of the same server.
    func url(ofStream id: UInt16) -> String {
        "rtsp://\(host)" + (port.map { ":\($0)" } ?? "") + "/stream=\(id)"
    }

    /// Whether the host is a literal IPv6 address without both of the brackets that RFC 3986, section 3.2.2, asks for.
    ///
    /// `[::1` is one, too: its last group was read as the port.
    var hasBareIPv6Host: Bool {
        let isEnclosed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let forbidden = isEnclosed ? "[]" : "[]:"
        return (isEnclosed ? host.dropFirst().dropLast() : host[...]).utf8.contains(where: forbidden.utf8.contains)
    }
}

extension HeaderName {
    /// The number of a session's stream. VLC compares the name byte by byte.
    static let streamID: HeaderName = "com.ses.streamID"
}
