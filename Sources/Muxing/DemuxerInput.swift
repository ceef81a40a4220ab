import CFFmpeg

/// From where a ``Demuxer`` reads.
public enum DemuxerInput: Hashable, Sendable {
    /// A file at a path.
    case file(String)
    /// A URL that libavformat opens, or with `http`, `https` and `udp` a ``ResourceOpener``. Messages show `name`, because the URL may
    /// contain a password.
    case url(String, name: String)
    /// A stream of bytes, such as a pipe (``ByteInput``).
    case bytes(name: String)

    /// For messages.
    public var name: String {
        switch self {
        case .file(let path): path
        case .url(_, let name), .bytes(let name): name
        }
    }

    var isFile: Bool { if case .file = self { true } else { false } }

    /// What libavformat opens. With the scheme, a name that contains a colon is not taken for a protocol.
    var location: String {
        switch self {
        case .file(let path): "file:" + path
        case .url(let url, _): url
        case .bytes: ""
        }
    }

    var remedy: String {
        switch self {
        case .file: "check that the file is complete and that ffprobe can read it"
        case .url: "check that ffprobe can read the URL on this host"
        case .bytes: "check that ffprobe - can read what the program writes"
        }
    }

    /// A server that sends nothing for this long is considered gone, in microseconds.
    private static let timeout = "10000000"

    func setOptions(_ options: inout OpaquePointer?) {
        for (key, value) in settings { av_dict_set(&options, key, value, 0) }
    }

    private var settings: [(String, String)] {
        switch self {
        case .file: []
        // What comes from elsewhere must not name files of this host.
        case .bytes: [Self.protocols([])]
        case .url(let url, _) where Self.isHTTP(url):
            // The HLS demuxer would use connections of libavformat again, which there are not.
            [Self.protocols([]), ("http_persistent", "0"), ("http_multiple", "0")]
        // Every host can send datagrams, so they must not be read as a format that names other URLs.
        case .url(let url, _) where Self.isDatagrams(url): [Self.protocols([]), ("format_whitelist", "mpegts")]
        case .url(let url, _):
            [Self.protocols(Self.protocols(of: url)), ("rw_timeout", Self.timeout), ("user_agent", "apus")]
        }
    }

    /// Allows libavformat only these protocols.
    private static func protocols(_ names: [String]) -> (String, String) {
        ("protocol_whitelist", names.isEmpty ? "none" : names.joined(separator: ","))
    }

    /// The protocol of a URL and those on which it is based.
    private static func protocols(of url: String) -> [String] {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        let tunnels = scheme.hasPrefix("rtmpt") || scheme == "mmsh" ? ["http", "https"] : []
        let parts = scheme.hasPrefix("rtmp") ? ["rtmp", "ffrtmphttp", "ffrtmpcrypt"] : []
        return [scheme, "tcp", "udp", "tls", "rtp", "srtp"] + tunnels + parts
    }

    /// Whether a URL is one of `http` or `https`.
    public static func isHTTP(_ url: String) -> Bool {
        ["http://", "https://"].contains(where: url.lowercased().hasPrefix)
    }

    /// Whether a URL names a port or a group at which a transport stream comes in datagrams.
    public static func isDatagrams(_ url: String) -> Bool { url.lowercased().hasPrefix("udp://") }

    /// Whether a ``ResourceOpener`` reads a URL.
    static func usesOpener(_ url: String) -> Bool { isHTTP(url) || isDatagrams(url) }
}

/// A stream of bytes for a ``Demuxer``.
public final class ByteInput {
    private let read: (UnsafeMutableRawBufferPointer) -> Int

    /// - Parameter read: reads at least one byte, and blocks until there is one. Returns the number of bytes; 0 at the end, or if
    ///   reading is to stop.
    public init(_ read: @escaping (UnsafeMutableRawBufferPointer) -> Int) {
        self.read = read
    }

    /// Input of libavformat that reads from here. It does not retain: the caller keeps this alive as long as the input.
    var reader: UnsafeMutablePointer<AVIOContext>? {
        apus_open_reader(Unmanaged.passUnretained(self).toOpaque()) { opaque, buffer, size in
            guard let opaque else { return apus_averror_eof }
            let input = Unmanaged<ByteInput>.fromOpaque(opaque).takeUnretainedValue()
            let count = input.read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
            return count > 0 ? Int32(count) : apus_averror_eof
        }
    }
}
