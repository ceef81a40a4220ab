import FoundationEssentials
import Streams

/// A text message of the server (docs/http-websocket.md).
enum ServerMessage: Encodable {
    /// - viewer: its id among the viewers; `nil` without media.
    case hello(viewer: String?, SessionReport)
    case pong(id: Int, time: Double)
    /// The next binary message is an init segment.
    case initSegment(generation: UInt64, contentType: String, tracks: [String])
    case drop(frames: Int)
    case event(StreamEvent)
    /// So many events were left out, because the client was too slow.
    case dropped(events: Int)
    /// A message of the client was refused.
    case error(text: String, about: String)

    private enum Key: String, CodingKey {
        case type, viewer, server, client, id, time, generation, contentType, tracks, frames, event, events, text, about
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .hello(let viewer, let session):
            try fields.encode("hello", forKey: .type)
            try fields.encode(viewer, forKey: .viewer)
            try fields.encode(session.server, forKey: .server)
            try fields.encode(session.client, forKey: .client)
        case .pong(let id, let time):
            try fields.encode("pong", forKey: .type)
            try fields.encode(id, forKey: .id)
            try fields.encode(time, forKey: .time)
        case .initSegment(let generation, let contentType, let tracks):
            try fields.encode("init", forKey: .type)
            try fields.encode(generation, forKey: .generation)
            try fields.encode(contentType, forKey: .contentType)
            try fields.encode(tracks, forKey: .tracks)
        case .drop(let frames):
            try fields.encode("drop", forKey: .type)
            try fields.encode(frames, forKey: .frames)
        case .event(let event):
            try fields.encode("event", forKey: .type)
            try fields.encode(event, forKey: .event)
        case .dropped(let events):
            try fields.encode("dropped", forKey: .type)
            try fields.encode(events, forKey: .events)
        case .error(let text, let about):
            try fields.encode("error", forKey: .type)
            try fields.encode(text, forKey: .text)
            try fields.encode(about, forKey: .about)
        }
    }
}

/// The value as JSON, with keys in the same order each time.
func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers that JSON cannot express do not occur.
    return (try? encoder.encode(value)).map(Array.init) ?? Array("null".utf8)
}
