import Connecting
import Reactor
import SRT
import SRTServer
import Synchronization

/// A call to the host of a URL: looks up its addresses, and calls those that are permitted one after the other until a server answers, also
/// if it refuses the caller. Thread-safe.
final class OutgoingCall: Sendable {
    enum Event: Sendable {
        case connected
        /// It has ended; nothing follows.
        case ended(End)
    }

    enum End: Sendable {
        /// There was no connection to try, or none is permitted.
        case notCalled(ConnectionFailure)
        case call(SRTCall.End)
    }

    /// Calls one address.
    typealias Dial = @Sendable (SRTCallTarget, @escaping @Sendable (SRTCall.Event) -> Void) -> SRTCall

    private struct State {
        var addresses: ArraySlice<SocketAddress> = []
        /// The number of the present call, and the call itself once it is known.
        var number = 0
        var call: SRTCall?
        var hasConnected = false
        var isClosed = false
    }

    private let url: SRTURL
    private let destinations: PermittedDestinations
    private let dial: Dial
    private let events: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// - Parameter events: called on any thread; it must not wait.
    init(
        to url: SRTURL, permittedBy destinations: PermittedDestinations, dial: @escaping Dial,
        events: @escaping @Sendable (Event) -> Void
    ) {
        (self.url, self.destinations, self.dial, self.events) = (url, destinations, dial, events)
    }

    /// Begins it. Returns at once.
    func start() {
        let isAsked = NameLookup.find(url.host, port: url.port) { self.found($0) }
        if !isAsked { events(.ended(.notCalled(.slowNameServer(url.host)))) }
    }

    /// Ends it, within about 20 ms.
    func close() {
        let call = state.withLock { state in
            state.isClosed = true
            return state.call
        }
        call?.close()
    }

    /// How it does, up to half a second ago; `nil` before it is connected.
    var status: SRTCall.Status? { state.withLock(\.call)?.status }

    /// Begins with the addresses of the host.
    func found(_ addresses: [SocketAddress]) {
        guard !addresses.isEmpty else { return events(.ended(.notCalled(.unknownHost(url.host)))) }
        let permitted = addresses.filter { destinations.permits($0, refusingLocal: false) }
        guard !permitted.isEmpty else { return events(.ended(.notCalled(.deniedDestination("\(url)")))) }
        state.withLock { $0.addresses = permitted[...] }
        callNext(after: .closed)
    }

    /// Calls the next address. Without one, it ends for the reason of the last call.
    private func callNext(after end: SRTCall.End) {
        let next = state.withLock { state -> (address: SocketAddress, number: Int)? in
            guard !state.isClosed, let address = state.addresses.popFirst() else { return nil }
            state.number += 1
            return (address, state.number)
        }
        guard let next else { return events(.ended(.call(end))) }
        let call = dial(SRTCallTarget(url, at: next.address)) { self.received($0) }
        // The call may have ended already, and the next one begun.
        let isClosed = state.withLock { state in
            if state.number == next.number { state.call = call }
            return state.isClosed
        }
        if isClosed { call.close() }
    }

    private func received(_ event: SRTCall.Event) {
        switch event {
        case .connected:
            state.withLock { $0.hasConnected = true }
            events(.connected)
        case .ended(let end):
            guard !state.withLock(\.hasConnected), end.allowsOtherAddresses else {
                return events(.ended(.call(end)))
            }
            callNext(after: end)
        }
    }
}

extension SessionFailure {
    /// A call that was not established, or has ended.
    init(_ end: OutgoingCall.End) {
        switch end {
        case .notCalled(let failure): self.init(failure)
        case .call(let end): self.init(end.text, end.isRefusal ? .refused : .other)
        }
    }
}

extension SRTCall.End {
    /// Whether another address of the host may connect, after a call that was not connected.
    fileprivate var allowsOtherAddresses: Bool {
        switch self {
        case .rejected(let rejection): !rejection.concernsCaller
        case .failed: true
        // The server was connected for a moment.
        case .disconnected, .unusable, .noMedia, .tracksChanged, .stalled, .closed: false
        }
    }

    /// Whether another attempt will hardly have another result soon.
    fileprivate var isRefusal: Bool {
        switch self {
        case .rejected(let rejection): rejection != .timeout && rejection != .unavailable && rejection != .overload
        case .unusable: true
        case .failed, .disconnected, .noMedia, .tracksChanged, .stalled, .closed: false
        }
    }
}
