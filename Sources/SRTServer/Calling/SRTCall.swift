import Delivery
import Media
import Reactor
import SRT
import Streams
import Synchronization

/// A connection to an SRT server: it receives a stream, or sends one. It is not repeated when it ends. Thread-safe.
public final class SRTCall: Sendable {
    /// What becomes of a call.
    public enum Event: Hashable, Sendable {
        case connected
        /// It has ended; nothing follows.
        case ended(End)
    }

    /// Why a call ends.
    public enum End: Hashable, Sendable {
        /// The server has rejected it, or does not answer.
        case rejected(SRTRejection)
        /// libsrt cannot make the connection, or the thread of SRT has ended.
        case failed(String)
        /// The server has closed the connection, or sends nothing any more.
        case disconnected
        /// What comes cannot be used: no media, an unsupported codec, or other tracks than viewers were promised.
        case unusable(String)
        /// The stream that is sent has no media, or has ended.
        case noMedia(String)
        /// The tracks of the stream that is sent have changed. A new call sends the new ones.
        case tracksChanged
        /// The server takes nothing.
        case stalled
        /// ``SRTCall/close()``.
        case closed

        /// A sentence for the log.
        public var text: String {
            switch self {
            case .rejected(let rejection): "\(rejection)"
            case .failed(let reason), .unusable(let reason), .noMedia(let reason): reason
            case .disconnected: "the server has ended the connection"
            case .tracksChanged: "the tracks of the stream have changed"
            case .stalled: "the server takes no data"
            case .closed: "closed"
            }
        }
    }

    /// How a call does.
    public struct Status: Hashable, Sendable {
        /// Media time from what the server has acknowledged to the newest frame, in nanoseconds; `nil` if it receives.
        public let lag: Int64?
        /// Units that were skipped because the server did not keep up.
        public let droppedUnits: UInt64
        /// `nil` if the connection is broken.
        public let statistics: SRTStatistics?
    }

    private let loop: SRTLoop
    private let key: CallKey
    private let record: CallRecord

    init(on loop: SRTLoop, _ key: CallKey, _ record: CallRecord) {
        (self.loop, self.key, self.record) = (loop, key, record)
    }

    /// Ends the call, within about 20 ms. The closure of events is then called with ``End/closed``.
    public func close() {
        let key = key
        loop.perform { $0.call(key)?.end(.closed, at: .now()) }
    }

    /// How it does, up to half a second ago; `nil` before it is connected. Its last status stays.
    public var status: Status? { record.status.withLock(\.self) }
}

/// The status of a call, for other threads. Thread-safe.
final class CallRecord: Sendable {
    let status = Mutex<SRTCall.Status?>(nil)
}

/// Names a call on its loop.
struct CallKey: Hashable, Sendable {
    private static let last = Atomic<UInt64>(0)

    private let number = Self.last.add(1, ordering: .relaxed).newValue
}

extension SRTLoop {
    /// Receives a stream and publishes it.
    ///
    /// - Parameters:
    ///   - input: gets the units; it must exist until the call has ended. Close the input to end the call with it.
    ///   - silenceSeconds: how long no media may come.
    ///   - events: called on the thread of SRT; it must not wait.
    public func receive(
        from target: SRTCallTarget, into input: StreamInput, silenceSeconds: Int = 10,
        events: @escaping @Sendable (SRTCall.Event) -> Void
    ) -> SRTCall {
        call(target, .receive(input, silenceSeconds: silenceSeconds), events)
    }

    /// Sends a stream. While the stream has no media yet, the call waits for up to three seconds after it is connected.
    ///
    /// - Parameters:
    ///   - policy: what happens if the server does not keep up.
    ///   - events: called on the thread of SRT; it must not wait.
    public func send(
        _ stream: Streams.Stream, to target: SRTCallTarget, join: JoinOptions = JoinOptions(),
        policy: SlowViewerPolicy = SlowViewerPolicy(), events: @escaping @Sendable (SRTCall.Event) -> Void
    ) -> SRTCall {
        call(target, .send(stream, join, policy), events)
    }

    private func call(
        _ target: SRTCallTarget, _ task: Call.Task, _ events: @escaping @Sendable (SRTCall.Event) -> Void
    ) -> SRTCall {
        let (key, record) = (CallKey(), CallRecord())
        let isPerformed = perform { state in
            do throws(SRTFailure) {
                state.add(try Call(key, target, task, record, on: state, events, at: .now()))
            } catch {
                events(.ended(.failed("\(error)")))
            }
        }
        if !isPerformed { events(.ended(.failed("SRT has stopped"))) }
        return SRTCall(on: self, key, record)
    }
}

extension LoopState {
    func call(_ key: CallKey) -> Call? { members.lazy.compactMap { $0 as? Call }.first { $0.key == key } }
}
