import Media
import RTSP
import Streams

/// A request that waits for a source's first unit.
struct WaitingRequest {
    enum Kind {
        case describe(DescribeRequest)
        case setUp(SetUpRequest)
        case play(PlayRequest, ViewerSession)
    }

    let connection: Connection
    let id: RequestID
    let kind: Kind
    /// When it must be answered in any case.
    let deadline: MonotonicTime
    /// Makes the source of an on-demand stream run until the request is answered.
    let use: StreamUse?
}

/// The requests of a loop that wait for a source's first unit. They are checked in each turn. Confined to the loop.
final class WaitingRequests {
    private var requests: [WaitingRequest] = []

    /// The time between two checks, in nanoseconds.
    private static let interval: Int64 = 10_000_000
    /// The time that a turn spends on waiting requests, in nanoseconds. Others may be pipelined behind each.
    private static let budget: Int64 = 1_000_000

    var count: Int { requests.count }

    func add(_ request: WaitingRequest) { requests.append(request) }

    /// Forgets the requests of a connection that has closed.
    func remove(of connection: Connection) {
        requests.removeAll { $0.connection === connection }
    }

    /// Forgets the requests for a session that has ended.
    func remove(for session: ViewerSession) {
        requests.removeAll { if case .play(_, let waiting) = $0.kind { waiting === session } else { false } }
    }

    /// Tries to answer requests, as many as the turn has time for.
    ///
    /// - Parameter isAnswered: answers a request if that is possible now; otherwise it waits again.
    /// - Returns: when to check again.
    func answer(at now: MonotonicTime, _ isAnswered: (WaitingRequest) -> Bool) -> MonotonicTime {
        guard !requests.isEmpty else { return .distantFuture }
        let end = MonotonicTime.now() + Self.budget
        var unchecked = requests[...]
        requests = []
        var hasAnswered = false
        repeat {
            guard let request = unchecked.popFirst() else { break }
            if isAnswered(request) { hasAnswered = true } else { requests.append(request) }
        } while MonotonicTime.now() < end
        // Requests that were not checked come first next time.
        requests.insert(contentsOf: unchecked, at: 0)
        guard !requests.isEmpty else { return .distantFuture }
        // If many requests only wait, they are checked at intervals, to save processor time.
        return hasAnswered && !unchecked.isEmpty ? now : now + Self.interval
    }
}
