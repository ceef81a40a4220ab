import Delivery
import Media
import RTMP
import Streams

/// Makes access units of received messages, publishes them, and notices when no media comes any more. Confined to the loop.
public final class MessageReception {
    /// Why it ends.
    public enum End: Hashable, Sendable, CustomStringConvertible {
        /// No media has come for this many seconds.
        case silence(seconds: Int)
        /// Nothing that comes can be received: the names of the codecs.
        case unusable([String])
        /// Viewers were promised other tracks.
        case unpromised(String)

        public var description: String {
            switch self {
            case .silence(let seconds): "no media has come for \(seconds) s"
            case .unusable(let codecs): "\(codecs.joined(separator: " and ")) is not supported"
            case .unpromised(let reason): reason
            }
        }
    }

    /// Something for the log.
    public enum Remark: Hashable, Sendable, CustomStringConvertible {
        case unsupported(codec: String)
        /// Further tracks of the same kind.
        case furtherTracks(count: Int)

        public var description: String {
            switch self {
            case .unsupported(let codec): "\(codec) is not supported"
            case .furtherTracks(let count):
                "\(count) further track\(count == 1 ? "" : "s"): the first of each kind is published"
            }
        }
    }

    private let input: StreamInput
    /// Called with the names that the sender gives to the stream.
    private let describe: (PublishedTexts) -> Void
    private var reader: TagReader
    /// The published tracks by those of the reader.
    private var places: [TrackID: TrackID] = [:]
    private var counts: [(codec: String, count: Int64)] = []
    private var unsupported: [String] = []
    /// How many tracks are not published because another one of their kind is.
    private var furtherCount = 0
    private var remarks: [Remark] = []
    private let silenceSeconds: Int
    private var silence: Int64 { Int64(silenceSeconds) * 1_000_000_000 }
    private var lastMedia: MonotonicTime
    private var nextStatus: MonotonicTime
    /// When a sender of which nothing can be received is given up; `nil` if something can.
    private var usableDeadline: MonotonicTime?
    private var end: End?

    /// How long a supported track may take after the first message of an unsupported one, in nanoseconds.
    private static let usableDelay: Int64 = 3_000_000_000
    /// The time between two notes of what has been received, in nanoseconds.
    private static let statusInterval: Int64 = 1_000_000_000

    /// - Parameter silenceSeconds: after how many seconds without media it ends.
    public init(
        into input: StreamInput, silenceSeconds: Int, at now: MonotonicTime,
        describe: @escaping (PublishedTexts) -> Void = { _ in }
    ) {
        (self.input, self.silenceSeconds, self.describe) = (input, silenceSeconds, describe)
        (lastMedia, nextStatus) = (now, now + Self.statusInterval)
        reader = TagReader(epoch: input.stream.epoch)
    }

    /// Audio, video or data has come.
    ///
    /// - Returns: why the reception ends now; `nil` if it goes on.
    public func received(_ message: Message, at now: MonotonicTime) -> End? {
        if message.type == .audio || message.type == .video || message.type == .aggregate { lastMedia = now }
        reader.received(message, arrival: now)
        passOn(at: now)
        return end
    }

    /// The time at which to call ``deadlinePassed(at:roundTrip:)``.
    public var nextDeadline: MonotonicTime {
        min(
            lastMedia + silence, nextStatus, reader.deadline ?? .distantFuture, usableDeadline ?? .distantFuture)
    }

    /// - Parameter roundTrip: to the sender, in nanoseconds; `nil` if it is unknown.
    /// - Returns: why the reception ends now; `nil` if it goes on.
    public func deadlinePassed(at now: MonotonicTime, roundTrip: Int64?) -> End? {
        if now - lastMedia >= silence { return .silence(seconds: silenceSeconds) }
        if let usableDeadline, now >= usableDeadline { return .unusable(unsupported) }
        reader.deadlinePassed(at: now)
        passOn(at: now)
        if now >= nextStatus {
            nextStatus = now + Self.statusInterval
            input.note(ReceptionStatus(units: counts, leftOut: unsupported, roundTrip: roundTrip))
        }
        return end
    }

    /// What is to be logged since the last call.
    public func takeRemarks() -> [Remark] {
        defer { remarks = [] }
        return remarks
    }

    // MARK: Output

    private func passOn(at now: MonotonicTime) {
        while let output = reader.next() {
            switch output {
            case .tracks(let tracks): announce(tracks)
            case .unit(let unit):
                guard let place = places[unit.track] else { continue }
                counts[place.index].count += 1
                input.publish(unit.on(place))
            case .metadata(let metadata):
                describe(PublishedTexts(title: metadata.title, information: metadata.description))
            case .unsupported(let codec):
                // The names are few, because each codec is reported once.
                unsupported.append(codec)
                remarks.append(.unsupported(codec: codec))
                if places.isEmpty, usableDeadline == nil { usableDeadline = now + Self.usableDelay }
            }
        }
    }

    /// Announces the first track of each kind.
    private func announce(_ tracks: [Track]) {
        let chosen = [Codec.Kind.video, .audio].compactMap { kind in tracks.first { $0.kind == kind } }
        let furtherCount = tracks.count - chosen.count
        if furtherCount > 0, furtherCount != self.furtherCount { remarks.append(.furtherTracks(count: furtherCount)) }
        self.furtherCount = furtherCount
        if let mismatch = mismatch(of: chosen) {
            end = .unpromised(mismatch)
            return
        }
        usableDeadline = nil
        places = [:]
        let former = counts
        counts = chosen.map { track in
            let name = track.format.summary
            return (name, former.first { $0.codec == name }?.count ?? 0)
        }
        for (index, track) in chosen.enumerated() { places[track.id] = TrackID(index) }
        input.announce(chosen.enumerated().map { Track(id: TrackID($0), clockRate: $1.clockRate, format: $1.format) })
    }

    /// Why viewers cannot receive these tracks in place of those that were promised; `nil` if they can. Audio may be missing, because
    /// silence takes its place.
    private func mismatch(of tracks: [Track]) -> String? {
        for promised in input.stream.promisedTracks ?? [] {
            guard let track = tracks.first(where: { $0.kind == promised.kind }) else {
                if promised.kind == .audio { continue }
                return "Viewers were promised \(promised.format.summary), and there is no video"
            }
            let moved = Track(id: promised.id, clockRate: track.clockRate, format: track.format)
            guard promised.isCompatible(with: moved) else {
                return "Viewers were promised \(promised.format.summary), not \(track.format.summary)"
            }
        }
        return nil
    }
}
