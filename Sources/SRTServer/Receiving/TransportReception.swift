import Delivery
import Media
import RTP
import Streams

/// The reception of a transport stream in the messages of SRT: makes access units, publishes them, and notices when nothing usable
/// comes. Confined to the thread of SRT.
struct TransportReception {
    /// Why it ends.
    enum End: Hashable {
        /// No media has come for this many seconds.
        case silence(seconds: Int)
        /// Nothing that comes can be received.
        case unusable(TransportStreamFault)
        /// Viewers were promised other tracks.
        case unpromised(String)

        var text: String {
            switch self {
            case .silence(let seconds): "no media has come for \(seconds) s"
            case .unusable(let fault): "\(fault)"
            case .unpromised(let reason): reason
            }
        }
    }

    private let input: StreamInput
    private var received: ReceivedStream
    private let silenceSeconds: Int
    private var lastMedia: MonotonicTime
    /// When a stream of which nothing can be received is ended; `nil` before its first message, and once media has come.
    private var usableDeadline: MonotonicTime?
    private var hasMedia = false
    private var nextStatus: MonotonicTime
    /// Messages that were missing when they were due.
    private var missingCount = 0
    /// The number of the last message.
    private var lastNumber: Int32?
    /// When the last message was due, on the host's clock.
    private var lastDue: MonotonicTime?
    /// The codec of each announced track, and how many units of it have come.
    private var counts: [(codec: String, count: Int64)] = []
    /// The names of what is left out that are not logged yet.
    private var unloggedNames: [String] = []
    private var knownNames: Set<String> = []
    /// The name that the stream gives its program.
    private(set) var serviceName: String?
    private var end: End?

    /// How long a stream may take to show something that can be received, in nanoseconds. Program tables come ten times a second.
    private static let usableTime: Int64 = 3_000_000_000
    private static let statusInterval: Int64 = 1_000_000_000
    /// The most nanoseconds between the instant at which a message is due and that at which it is read. Other times are not believed.
    private static let longestDelay: Int64 = 15_000_000_000

    init(into input: StreamInput, silenceSeconds: Int, at now: MonotonicTime) {
        (self.input, self.silenceSeconds) = (input, silenceSeconds)
        (lastMedia, nextStatus) = (now, now + Self.statusInterval)
        received = ReceivedStream(.transportStream, epoch: input.stream.epoch, trust: input.trust)
    }

    /// Whether video has lost something since its last complete keyframe.
    var needsKeyframe: Bool { received.needsKeyframe }

    /// A message has come. Messages that came too late for the latency are missing, which their numbers show.
    ///
    /// The time at which it was due stands for its arrival. It is SRT's latency after the sending on libsrt's comparison of both ends'
    /// clocks, and therefore has the distances of the sending.
    ///
    /// - Parameters:
    ///   - number: counts the messages, with 31 bits.
    ///   - due: when it was due, on the host's clock.
    /// - Returns: why the reception ends now; `nil` if it goes on.
    mutating func received(_ bytes: RawSpan, number: Int32, due: MonotonicTime, at now: MonotonicTime) -> End? {
        let believed = due <= now && now - due <= Self.longestDelay ? due : now
        let arrival = max(believed, lastDue ?? believed)
        lastDue = arrival
        let missing = lastNumber.map { (number &- $0 &- 1) & Int32.max } ?? 0
        lastNumber = number
        // After a step back it is not known how many are missing.
        let isBack = missing > Int32.max / 2
        missingCount = min(missingCount + (isBack ? 1 : Int(missing)), Int.max / 2)
        if received.received(bytes, missing: isBack ? 1 : Int(missing), arrival: arrival) {
            (lastMedia, hasMedia, usableDeadline) = (now, true, nil)
        } else if !hasMedia, usableDeadline == nil {
            usableDeadline = now + Self.usableTime
        }
        passOn()
        return end
    }

    /// When to call ``deadlinePassed(at:roundTrip:)``.
    var nextDeadline: MonotonicTime {
        min(silenceDeadline, usableDeadline ?? .distantFuture, received.nextDeadline, nextStatus)
    }

    private var silenceDeadline: MonotonicTime { lastMedia.advanced(byMilliseconds: Int64(silenceSeconds) * 1_000) }

    /// - Parameter roundTrip: to the peer, in nanoseconds; `nil` if it is not known. Asked once a second.
    /// - Returns: why the reception ends now; `nil` if it goes on.
    mutating func deadlinePassed(at now: MonotonicTime, roundTrip: () -> Int64?) -> End? {
        if now >= silenceDeadline {
            return hasMedia ? received.fault.map(End.unusable) ?? .silence(seconds: silenceSeconds) : silenceOrFault
        }
        if let usableDeadline, now >= usableDeadline {
            self.usableDeadline = nil
            if let fault = received.fault { return .unusable(fault) }
        }
        if received.nextDeadline <= now {
            received.deadlinePassed(at: now)
            passOn()
        }
        if now >= nextStatus {
            nextStatus = now + Self.statusInterval
            noteNames()
            serviceName = received.serviceName
            input.note(
                ReceptionStatus(
                    units: counts, lostCount: missingCount, leftOut: received.leftOut, roundTrip: roundTrip()))
        }
        return end
    }

    /// What to say if nothing was ever received: a client that sends nothing has no malformed stream.
    private var silenceOrFault: End {
        guard lastNumber != nil, let fault = received.fault else { return .silence(seconds: silenceSeconds) }
        return .unusable(fault)
    }

    /// Names of what comes and is not received, each once, for the log.
    mutating func takeLeftOut() -> [String] {
        defer { unloggedNames = [] }
        return unloggedNames
    }

    private mutating func noteNames() {
        // They are few: a program map has at most 200 entries, and a program changes seldom.
        for name in received.leftOut where knownNames.count < 32 && knownNames.insert(name).inserted {
            unloggedNames.append(name)
        }
    }

    private mutating func passOn() {
        while let output = received.next() {
            switch output {
            case .announce(let tracks): announce(tracks)
            case .publish(let unit):
                if counts.indices.contains(unit.track.index) { counts[unit.track.index].count += 1 }
                if end == nil { input.publish(unit) }
            }
        }
    }

    private mutating func announce(_ tracks: [Track]) {
        if let mismatch = input.stream.mismatch(of: tracks) {
            end = .unpromised(mismatch)
            return
        }
        let former = counts
        counts = tracks.map { track in
            let name = track.format.summary
            return (name, former.first { $0.codec == name }?.count ?? 0)
        }
        input.announce(tracks)
    }
}
