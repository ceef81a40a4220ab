import FoundationEssentials
import Media

/// A text message in the form of go2rtc.
struct Go2rtcMessage: Codable, Hashable, Sendable {
    let type: String
    let value: String

    init(type: String, value: String) {
        (self.type, self.value) = (type, value)
    }

    /// Reads a message of a client. A value that is no text counts as none, such as the SDP of other types.
    init(parsing bytes: [UInt8]) throws(ClientMessage.Failure) {
        guard bytes.count <= ClientMessage.maximumByteCount else { throw .tooLong }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw .malformed
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        type = try fields.decode(String.self, forKey: .type)
        value = (try? fields.decodeIfPresent(String.self, forKey: .value)) ?? ""
    }

    /// The codecs that the client of `mse` can decode; `nil` for all, if it names none.
    ///
    /// It names a profile and a level, which stand for the codec. What follows `null` was guessed by the browser.
    var codecs: Set<Codec>? {
        guard !value.isEmpty else { return nil }
        let names = value.split(separator: ",").map { $0.filter { $0 != " " } }.prefix { $0 != "null" }
        return Set(names.compactMap(Self.codec))
    }

    private static func codec(_ name: String) -> Codec? {
        switch name.prefix(4).lowercased() {
        case "avc1", "avc3": .h264
        case "hvc1", "hev1": .h265
        case "mp4a": .aac
        case "opus": .opus
        default: nil
        }
    }
}
