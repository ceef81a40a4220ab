import HTTP
import RTSP

extension Route {
    /// The media of each stream: as a file without end, over a WebSocket, and as HLS.
    public static var live: [Self] {
        [
            Route(.stream("index.mp4"), for: .stream(.read)) { $1.watch($0) },
            Route(webSocket: .stream("ws"), for: .stream(.read)) { $1.openSocket($0) },
            Route(.stream("index.m3u8"), for: .stream(.read)) { $1.listQualities($0) },
            Route(.playback, for: .playback) { $1.play($0) },
        ]
    }

    /// The same media at the addresses of go2rtc, and over a WebSocket with its messages.
    public static var go2rtcLive: [Self] {
        [
            Route(.path("/api/stream.mp4"), for: .source(.read)) { $1.watch($0) },
            Route(webSocket: .path("/api/ws"), for: .source(.read)) { $1.openSocket($0, isOfGo2rtc: true) },
        ]
    }

    /// The same WebSocket without media.
    public static var statusSocket: Self {
        Route(webSocket: .path("/api/v1/ws"), for: .everyone) { $1.openSocket($0) }
    }
}
