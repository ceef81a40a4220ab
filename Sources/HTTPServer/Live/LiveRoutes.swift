import HTTP
import RTSP

extension Route {
    /// The media of each stream: as a file without end, and over a WebSocket.
    public static var live: [Self] {
        [
            Route(.stream("index.mp4"), for: .stream(.read)) { $1.watch($0) },
            Route(webSocket: .stream("ws"), for: .stream(.read)) { $1.openSocket($0) },
        ]
    }

    /// The same WebSocket without media.
    public static var statusSocket: Self {
        Route(webSocket: .path("/api/v1/ws"), for: .everyone) { $1.openSocket($0) }
    }
}
