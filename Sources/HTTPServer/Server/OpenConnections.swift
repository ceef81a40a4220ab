import NIOCore
import Synchronization

/// All open connections, to be closed when the server stops. Thread-safe.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    /// Notes a connection until it closes.
    func add(_ channel: any Channel) {
        let isClosing = state.withLock { state in
            if !state.isClosing { state.channels[ObjectIdentifier(channel)] = channel }
            return state.isClosing
        }
        if isClosing { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
        }
    }

    func closeAll() {
        let channels = state.withLock { state in
            state.isClosing = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
