/// What a server of RTMP sends, written by hand. It need not read what its client sends, because the numbers of all commands are known
/// (`RTMPClientSession`).
public enum ScriptedRTMP {
    /// What the client wants.
    public enum Client: Sendable {
        case publisher, player
    }

    /// S0, S1 and S2.
    public static let handshake: [UInt8] = [3] + [UInt8](repeating: 0, count: 2 * 1_536)

    /// All that a server sends until it takes a stream, or begins to send it.
    public static func acceptance(of client: Client) -> [UInt8] {
        let code = client == .publisher ? "NetStream.Publish.Start" : "NetStream.Play.Start"
        return connected + status("status", code, "")
    }

    /// The handshake, and the answers to `connect` and `createStream`.
    public static var connected: [UInt8] {
        handshake + setChunkSize(0x10000) + result(of: 1, object([]))
            + result(of: 4, number(1))
    }

    public static func setChunkSize(_ byteCount: UInt32) -> [UInt8] { control(1, byteCount) }

    /// A protocol control message with one number.
    public static func control(_ type: UInt8, _ value: UInt32, _ rest: [UInt8] = []) -> [UInt8] {
        message(type, bytes(of: value) + rest, chunkStream: 2)
    }

    /// A message in one chunk: at most 65 536 bytes.
    public static func message(_ type: UInt8, _ payload: [UInt8], stream: UInt8 = 0, chunkStream: UInt8 = 3) -> [UInt8]
    {
        header(type, byteCount: UInt32(payload.count), stream: stream, chunkStream: chunkStream) + payload
    }

    /// The header of a message's first chunk.
    public static func header(_ type: UInt8, byteCount: UInt32, stream: UInt8 = 0, chunkStream: UInt8 = 3) -> [UInt8] {
        [chunkStream, 0, 0, 0] + bytes(of: byteCount).dropFirst() + [type, stream, 0, 0, 0]
    }

    /// `_result`.
    public static func result(of transaction: UInt8, _ argument: [UInt8]) -> [UInt8] {
        message(20, text("_result") + number(transaction) + [5] + argument)
    }

    /// `onStatus`.
    public static func status(_ level: String, _ code: String, _ description: String) -> [UInt8] {
        let information = object([("level", level), ("code", code), ("description", description)])
        return message(20, text("onStatus") + number(0) + [5] + information, stream: 1)
    }

    /// A string of AMF0, up to 65 535 bytes.
    public static func text(_ text: String) -> [UInt8] { [2] + bare(text) }

    /// A number of AMF0.
    public static func number(_ value: UInt8) -> [UInt8] {
        let bits = Double(value).bitPattern
        return [0] + bytes(of: UInt32(bits >> 32)) + bytes(of: UInt32(truncatingIfNeeded: bits))
    }

    /// An object of AMF0 whose values are strings.
    public static func object(_ fields: [(String, String)]) -> [UInt8] {
        [3] + fields.flatMap { bare($0.0) + text($0.1) } + [0, 0, 9]
    }

    private static func bare(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + text.utf8
    }

    private static func bytes(of value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
