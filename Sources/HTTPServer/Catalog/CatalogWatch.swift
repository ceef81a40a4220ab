import NIOCore

/// Tells the WebSockets of one event loop how the streams change. Without sockets it does nothing. Confined to the loop.
final class CatalogWatch {
    let loop: any EventLoop
    private let catalog: any StreamCatalog
    private var sockets: [ObjectIdentifier: SocketHandler] = [:]
    private var isAsking = false
    /// Counts the questions, of which every tenth is for all changes.
    private var count = 0

    /// How often the catalog is asked, and each how many questions are for all changes.
    private static let (interval, questionsPerSecond) = (TimeAmount.milliseconds(100), 10)

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
        guard !isAsking, !sockets.isEmpty else { return }
        isAsking = true
        let (bound, loop) = (NIOLoopBound(self, eventLoop: loop), loop)
        catalog.streams { streams in loop.execute { bound.value.received(streams) } }
    }

    private func received(_ streams: [CatalogStream]) {
        count += 1
        let isForAll = count % Self.questionsPerSecond == 0
        let streams = streams.map(\.shared)
        for socket in all { socket.received(streams, isForAll: isForAll) }
        if isForAll { askForViewers() }
        loop.assumeIsolated().scheduleTask(in: Self.interval) { [self] in
            isAsking = false
            ask()
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
