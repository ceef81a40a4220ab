import NIOCore

/// Tells the WebSockets of one event loop how the streams change. Without sockets it does nothing. Confined to the loop.
final class CatalogWatch {
    let loop: any EventLoop
    private let catalog: any StreamCatalog
    private var sockets: [ObjectIdentifier: SocketHandler] = [:]
    private var isAsking = false
    /// Whether a socket has been added, or wants to know more, since the sockets were last told.
    private var hasQuestion = false
    /// What the sockets were told last.
    private var told: [CatalogStream] = []
    /// Counts the questions, of which every tenth is for all changes.
    private var count = 0

    /// How often the catalog is asked, and each how many questions are for all changes.
    private static let (interval, questionsPerSecond) = (TimeAmount.milliseconds(100), 10)
    /// How long a message waits for a frame.
    private static let longestWait = TimeAmount.milliseconds(50)

    init(_ loop: any EventLoop, _ catalog: any StreamCatalog) {
        (self.loop, self.catalog) = (loop, catalog)
    }

    func add(_ socket: SocketHandler) {
        sockets[ObjectIdentifier(socket)] = socket
        ask()
    }

    func remove(_ socket: SocketHandler) { sockets[ObjectIdentifier(socket)] = nil }

    /// All sockets, with media or without.
    var all: [SocketHandler] { Array(sockets.values) }

    /// Asks the catalog, for sockets that have just been added or that want to know more now.
    func ask() {
        hasQuestion = true
        askAgain()
    }

    private func askAgain() {
        guard !isAsking, !sockets.isEmpty else { return }
        isAsking = true
        let (bound, loop) = (NIOLoopBound(self, eventLoop: loop), loop)
        catalog.streams { streams in loop.execute { bound.value.received(streams) } }
    }

    private func received(_ streams: [CatalogStream]) {
        count += 1
        let isForAll = count % Self.questionsPerSecond == 0
        let streams = streams.map(\.shared)
        let isNews = !streams.elementsEqual(told) { $0.path == $1.path && $0.state == $1.state }
        if isForAll || hasQuestion || isNews { tell(streams, isForAll: isForAll) }
        if isForAll { askForViewers() }
        loop.assumeIsolated().scheduleTask(in: Self.interval) { [self] in
            isAsking = false
            askAgain()
        }
    }

    private func tell(_ streams: [CatalogStream], isForAll: Bool) {
        for socket in all { socket.received(streams, isForAll: isForAll) }
        (hasQuestion, told) = (false, streams)
        // A message goes with the next frame, which saves a write, but does not wait for long.
        loop.assumeIsolated().scheduleTask(in: Self.longestWait) { [self] in
            for socket in all { socket.connection.flush() }
        }
    }

    /// Asks for the viewers of the paths that sockets want to know about.
    private func askForViewers() {
        let paths = Set(all.flatMap(\.watchedPaths))
        let (bound, loop) = (NIOLoopBound(self, eventLoop: loop), loop)
        for path in paths {
            catalog.viewers(of: path) { json in
                loop.execute { for socket in bound.value.all { socket.received(viewers: json, of: path) } }
            }
        }
    }
}
