/// Why a WebSocket is closed: the code and the text of its close message (docs/http-websocket.md).
struct SocketEnd: Hashable, Sendable {
    let code: UInt16
    let text: String

    init(_ code: UInt16, _ text: String) {
        (self.code, self.text) = (code, text)
    }

    /// The client broke a rule of the protocol.
    static func broken(_ text: String) -> Self { Self(1008, text) }

    init(_ reason: LiveEnd) {
        let code: UInt16 =
            switch reason {
            case .complete, .clientLeft: 1000
            case .serverStops: 1001
            case .disconnected: 4000
            case .notPermitted: 4001
            case .streamRemoved: 4004
            case .noTracks: 4006
            case .stalled, .silent: 4008
            case .tracksChanged, .noInput: 1011
            }
        self.init(code, reason.text)
    }

    /// The payload of the close message, at most 125 bytes (RFC 6455, section 5.5).
    var bytes: [UInt8] { [UInt8(code >> 8), UInt8(code & 0xFF)] + text.utf8.prefix(123) }
}
