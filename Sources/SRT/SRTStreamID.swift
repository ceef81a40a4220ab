/// What a caller of SRT asks for: the stream id of its handshake.
///
/// Clients write it in several forms, and each is read:
/// ```
/// #!::r=live/yard,m=publish,u=ann,s=sesame    keys of SRT's access control (docs/features/access-control.md of libsrt)
/// %23!::r=live/yard,m=publish                 the same from ffmpeg and VLC, which do not decode a URL's query
/// publish:live/yard:ann:sesame:token=7        MediaMTX: action, path, user, password, query; all but the first two may be missing
/// live/yard                                   a path alone
/// ```
public struct SRTStreamID: Hashable, Sendable {
    /// What the caller wants to do.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// To receive the stream; also if the caller does not say.
        case request
        /// To send it.
        case publish
        /// Both at once.
        case bidirectional
    }

    /// The most bytes: libsrt sends no more.
    public static let maximumByteCount = 512

    /// The path as the caller wrote it, with or without a leading slash; `nil` if it names none.
    public let path: String?
    public let mode: Mode
    /// `nil` if the caller names none.
    public let user: String?
    /// `nil` if the caller sends none.
    public let password: String?
    /// What follows in MediaMTX's form, for example a token; empty in all others.
    public let query: String

    public init(path: String?, mode: Mode, user: String? = nil, password: String? = nil, query: String = "") {
        (self.path, self.mode, self.user, self.password, self.query) = (path, mode, user, password, query)
    }

    /// Reads the bytes of a handshake. Zeros at the end are padding.
    public init(parsing bytes: some Collection<UInt8>) throws(SRTStreamIDError) {
        let content = Array(bytes.prefix { $0 != 0 })
        guard content.count <= Self.maximumByteCount else { throw .tooLong }
        guard let text = String(validating: content, as: UTF8.self) else { throw .notUTF8 }
        try Self.checkControlCharacters(in: text)
        try self.init(text)
    }

    /// Separators are compared as bytes: a separator and a combining mark behind it are one other character.
    private init(_ text: String) throws(SRTStreamIDError) {
        if text.utf8.starts(with: Self.prefix.utf8) {
            try self.init(keys: text.utf8.dropFirst(Self.prefix.utf8.count))
            return
        }
        // Encoded once at most: a client either decodes its URL or does not.
        let decoded = text.percentDecoded ?? text
        try Self.checkControlCharacters(in: decoded)
        if decoded.utf8.starts(with: Self.prefix.utf8) {
            try self.init(keys: decoded.utf8.dropFirst(Self.prefix.utf8.count))
            return
        }
        let parts = decoded.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let action = Self.actions[parts[0]]
        guard let action, parts.count > 1 else {
            self.init(path: decoded.nonEmpty, mode: .request)
            return
        }
        self.init(
            path: parts[1].nonEmpty, mode: action, user: parts.count > 2 ? parts[2].nonEmpty : nil,
            password: parts.count > 3 ? parts[3] : nil, query: parts.count > 4 ? parts[4] : "")
    }

    /// Called again after percent-decoding, which makes a line feed of `%0A`.
    private static func checkControlCharacters(in text: String) throws(SRTStreamIDError) {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
    }

    /// What marks the keys of access control, of which only the variant with flat keys is in use.
    private static let prefix = "#!::"
    private static let actions: [String: Mode] = ["read": .request, "request": .request, "publish": .publish]

    /// Reads `key=value,…`. Other keys, such as the host `h`, are left out. `s`, a session in SRT's access control, is the password,
    /// as for MediaMTX.
    private init(keys: Substring.UTF8View) throws(SRTStreamIDError) {
        var values: [Substring: String] = [:]
        for pair in keys.split(separator: UInt8(ascii: ",")) {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
                throw .malformedKey(String(Substring(pair)))
            }
            // The first value counts, as in a query.
            let key = Substring(pair[..<equals])
            if values[key] == nil { values[key] = String(Substring(pair[equals...].dropFirst())) }
        }
        if let type = values["t"], type != "stream" { throw .unsupportedType(type) }
        var mode = Mode.request
        if let name = values["m"] {
            guard let known = Mode(rawValue: name) else { throw .unknownMode(name) }
            mode = known
        }
        self.init(path: values["r"]?.nonEmpty, mode: mode, user: values["u"]?.nonEmpty, password: values["s"])
    }

    /// The keys of access control, as a caller sends them.
    ///
    /// - Returns: `nil` if a value contains a comma, which the format cannot express, or if it is too long.
    public var text: String? {
        let pairs: [(key: String, value: String?)] = [
            ("r", path), ("m", mode.rawValue), ("u", user), ("s", password),
        ]
        guard !pairs.contains(where: { $0.value?.utf8.contains(UInt8(ascii: ",")) == true }) else { return nil }
        let text =
            Self.prefix + pairs.compactMap { pair in pair.value.map { "\(pair.key)=\($0)" } }.joined(separator: ",")
        return text.utf8.count <= Self.maximumByteCount ? text : nil
    }
}

/// Why a stream id cannot be read.
public enum SRTStreamIDError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong
    case notUTF8
    case controlCharacter
    /// A key without `=`.
    case malformedKey(String)
    case unknownMode(String)
    /// What is asked for is no live stream: a file, for example.
    case unsupportedType(String)

    public var description: String {
        switch self {
        case .tooLong: "the stream id is longer than \(SRTStreamID.maximumByteCount) bytes"
        case .notUTF8: "the stream id is not UTF-8"
        case .controlCharacter: "the stream id contains a control character"
        case .malformedKey(let pair): "the stream id has no value for the key “\(pair)”"
        case .unknownMode(let name): "the stream id has an unknown mode, m=\(name)"
        case .unsupportedType(let name): "the stream id asks for t=\(name); only live streams are served"
        }
    }

    /// What the caller is told.
    public var rejection: SRTRejection {
        switch self {
        case .unknownMode: .unsupportedMode
        case .unsupportedType: .unsupportedMedia
        case .tooLong, .notUTF8, .controlCharacter, .malformedKey: .badRequest
        }
    }
}

extension String {
    var nonEmpty: String? { isEmpty ? nil : self }
}
