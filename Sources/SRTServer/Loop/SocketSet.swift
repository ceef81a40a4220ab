import CSRT

/// The sockets that one thread waits for. Confined to that thread.
final class SocketSet {
    private let number: Int32
    private var ready = [apus_srt_ready](repeating: apus_srt_ready(), count: 512)

    struct Events: OptionSet {
        let rawValue: Int32

        static let readable = Self(rawValue: Int32(apus_srt_readable.rawValue))
        static let writable = Self(rawValue: Int32(apus_srt_writable.rawValue))
        static let error = Self(rawValue: Int32(apus_srt_error.rawValue))
    }

    init() throws(SRTFailure) {
        number = apus_srt_set_make()
        guard number >= 0 else { throw SRTFailure.last(of: "epoll") }
    }

    deinit { apus_srt_set_free(number) }

    /// Watches a socket for these events from now on.
    ///
    /// - Returns: false if the socket is gone.
    func watch(_ socket: SRTSocket, for events: Events) -> Bool {
        apus_srt_set_watch(number, socket.number, events.rawValue)
    }

    func unwatch(_ socket: SRTSocket) { apus_srt_set_unwatch(number, socket.number) }

    /// Waits for sockets. libsrt looks at the time only every 10 ms, unless anything of it happens meanwhile.
    func wait(milliseconds: Int64) -> [(socket: SRTSocket, events: Events)] {
        let count = apus_srt_set_wait(number, &ready, Int32(ready.count), milliseconds)
        guard count > 0 else { return [] }
        return ready[..<Int(count)].map { (SRTSocket(number: $0.socket), Events(rawValue: $0.events)) }
    }
}
