import Media
import RTP
import Streams
import Synchronization

/// Publishes what is received for a stream, until another thread closes it. Thread-safe.
public final class StreamInput: Sendable {
    private struct State {
        var isOpen = true
        /// `nil` if all tracks are published as they are.
        var transcoder: (any InputTranscoder)?
    }

    public let stream: Streams.Stream
    /// Whether the sender's time of day is believed.
    public let trust: SenderClockTrust
    private let transcoding: (any InputTranscoding)?
    /// Held while something is published, so that nothing is published after ``close()``.
    private let state = Mutex(State())
    private let latestStatus = Mutex<ReceptionStatus?>(nil)

    /// - Parameter transcoding: encodes the tracks that viewers cannot receive; without it, these are not published.
    public init(
        into stream: Streams.Stream, trust: SenderClockTrust, transcoding: (any InputTranscoding)? = nil
    ) {
        (self.stream, self.trust, self.transcoding) = (stream, trust, transcoding)
    }

    public var isClosed: Bool { state.withLock { !$0.isOpen } }

    /// Ends it: the stream gets nothing more once this has returned.
    public func close() {
        state.withLock { state in
            state.isOpen = false
            state.transcoder.take()?.close()
        }
    }

    /// What will be received.
    func begin(_ source: ReceivedStream.Source) {
        guard case .tracks(let tracks) = source else { return }
        var transcoded: [TrackID: TranscodedFormat] = [:]
        for (index, track) in tracks.enumerated() {
            if case .transcoded(let format) = track.format { transcoded[TrackID(index)] = format }
        }
        guard !transcoded.isEmpty, let transcoder = transcoding?.begin(transcoded, into: stream) else { return }
        state.withLock { state in
            if state.isOpen { state.transcoder = transcoder } else { transcoder.close() }
        }
    }

    /// What was received up to a second ago; `nil` in the first second.
    public internal(set) var status: ReceptionStatus? {
        get { latestStatus.withLock(\.self) }
        set { latestStatus.withLock { $0 = newValue } }
    }

    // MARK: Publishers that do not send RTP

    /// The units from now on belong to these tracks.
    public func announce(_ tracks: [Track]) { pass(.announce(tracks)) }

    /// A unit of an announced track, in capture order.
    public func publish(_ unit: AccessUnit) { pass(.publish(unit)) }

    /// What has been received so far. Call it every second.
    public func note(_ status: ReceptionStatus) {
        self.status = status
        if !isClosed { stream.captureTimeOrigin = status.origin }
    }

    func pass(_ output: ReceivedStream.Output) {
        state.withLock { state in
            guard state.isOpen else { return }
            switch output {
            case .announce(let tracks):
                // None if all are to be encoded again.
                if state.transcoder == nil, tracks.isEmpty { return }
                state.transcoder?.announce(tracks) ?? stream.announce(tracks)
            case .publish(let unit): state.transcoder?.publish(unit) ?? stream.publish(unit)
            }
        }
    }
}
