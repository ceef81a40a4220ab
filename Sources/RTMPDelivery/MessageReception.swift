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
        /// Nothing could be read for this many seconds of what has come, and why.
        case unreadable(seconds: Int, reasons: [String])
        /// Nothing of the stream can be received, and why.
        case unusable(reasons: [String])
        /// Viewers were promised other tracks.
        case unpromised(String)

        public var description: String {
            switch self {
            case .silence(let seconds): "no media has come for \(seconds) s"
            case .unreadable(let seconds, let reasons):
                "no media has come for \(seconds) s: \(reasons.joined(separator: "; "))"
            case .unusable(let reasons): reasons.joined(separator: "; ")
            case .unpromised(let reason): reason
            }
        }
    }

    /// Something for the log.
    public enum Remark: Hashable, Sendable, CustomStringConvertible {
        case unsupported(codec: String)
        /// Tracks beside the one of their kind that is published.
        case furtherTracks(Codec.Kind, count: Int)
        /// A video track that no path gets, and why.
        case unpublishedTrack(String)

        public var description: String {
            switch self {
            case .unsupported(let codec): "\(codec) is not supported"
            case .furtherTracks(let kind, let count):
                "\(count) further track\(count == 1 ? "" : "s") of \(kind == .video ? "video" : "audio"): the first is published"
            case .unpublishedTrack(let reason): reason
            }
        }
    }

    private let input: StreamInput
    /// The input of the path that has a further video track; `nil` if no path can have one.
    private let furtherInput: ((TrackNumber) -> StreamInput?)?
    /// Called with the names that the sender gives to the stream.
    private let describe: (PublishedTexts) -> Void
    private var reader: TagReader
    /// The video tracks beside the main one, in the order in which they came. The reader bounds their number.
    private var furtherTracks: [FurtherTrack] = []
    private var counts: [(codec: String, count: Int64)] = []
    private var unsupported: [String] = []
    private var remarks: [Remark] = []
    private let silenceSeconds: Int
    private var silence: Int64 { Int64(silenceSeconds) * 1_000_000_000 }
    /// When the last frame came that can be received.
    private var lastMedia: MonotonicTime
    /// What could not be read before that.
    private var faultCount = 0
    private var nextStatus: MonotonicTime
    /// Whether a frame has come that belongs to an announced track.
    private var hasPublished = false
    /// When a sender of which nothing can be received is given up; `nil` if something can, or if nothing has come.
    private var usableDeadline: MonotonicTime?
    private var end: End?

    /// How long the first frame may take after the first message that cannot be received, in nanoseconds.
    private static let usableDelay: Int64 = 3_000_000_000
    /// The time between two notes of what has been received, in nanoseconds.
    private static let statusInterval: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - silenceSeconds: after how many seconds without media it ends.
    ///   - furtherInput: gives the input of the path that has a video track beside the main one; without it, these tracks are dropped.
    public init(
        into input: StreamInput, silenceSeconds: Int, at now: MonotonicTime,
        furtherInput: ((TrackNumber) -> StreamInput?)? = nil, describe: @escaping (PublishedTexts) -> Void = { _ in }
    ) {
        (self.input, self.silenceSeconds, self.describe) = (input, silenceSeconds, describe)
        self.furtherInput = furtherInput
        (lastMedia, nextStatus) = (now, now + Self.statusInterval)
        reader = TagReader(epoch: input.stream.epoch)
    }

    /// Audio, video or data has come.
    ///
    /// - Returns: why the reception ends now; `nil` if it goes on.
    public func received(_ message: Message, at now: MonotonicTime) -> End? {
        if reader.received(message, arrival: now) { (lastMedia, faultCount) = (now, reader.faults.count) }
        passOn()
        if !hasPublished, usableDeadline == nil, !reasons.isEmpty { usableDeadline = now + Self.usableDelay }
        return end
    }

    /// Why media cannot be received that has come; empty if nothing is wrong.
    private var reasons: [String] {
        let codecs = unsupported.joined(separator: " and ")
        return (unsupported.isEmpty ? [] : ["\(codecs) is not supported"]) + reader.faults.descriptions
    }

    /// The time at which to call ``deadlinePassed(at:roundTrip:)``.
    public var nextDeadline: MonotonicTime {
        min(
            lastMedia + silence, nextStatus, reader.deadline ?? .distantFuture, usableDeadline ?? .distantFuture)
    }

    /// - Parameter roundTrip: to the sender, in nanoseconds; `nil` if it is unknown.
    /// - Returns: why the reception ends now; `nil` if it goes on.
    public func deadlinePassed(at now: MonotonicTime, roundTrip: Int64?) -> End? {
        if now - lastMedia >= silence, reader.faults.count > faultCount {
            return .unreadable(seconds: silenceSeconds, reasons: reasons)
        }
        if now - lastMedia >= silence { return .silence(seconds: silenceSeconds) }
        if let usableDeadline, now >= usableDeadline {
            let reasons = reasons
            if !reasons.isEmpty { return .unusable(reasons: reasons) }
            // The missing configuration has come.
            self.usableDeadline = nil
        }
        reader.deadlinePassed(at: now)
        passOn()
        if now >= nextStatus {
            nextStatus = now + Self.statusInterval
            for index in furtherTracks.indices { look(forPathOf: index) }
            noteStatus(roundTrip: roundTrip)
        }
        return end
    }

    /// What is to be logged since the last call.
    public func takeRemarks() -> [Remark] {
        defer { remarks = [] }
        return remarks
    }

    private func noteStatus(roundTrip: Int64?) {
        let complaints = furtherInput == nil ? [] : furtherTracks.compactMap { $0.complaint(on: input.stream.path) }
        input.note(
            ReceptionStatus(
                units: counts, leftOut: unsupported + reader.faults.descriptions + complaints, roundTrip: roundTrip))
        for track in furtherTracks { track.note(roundTrip: roundTrip) }
    }

    // MARK: Output

    private func passOn() {
        while let output = reader.next() {
            switch output {
            case .tracks(let tracks, of: .main): announce(tracks)
            case .unit(let unit, of: .main):
                guard counts.indices.contains(unit.track.index) else { continue }
                counts[unit.track.index].count += 1
                noteUsable()
                input.publish(unit)
            case .tracks(let tracks, of: let number): announce(tracks, of: number)
            case .unit(let unit, of: let number):
                guard let index = furtherTracks.firstIndex(where: { $0.number == number }) else { continue }
                noteUsable()
                furtherTracks[index].received(unit)
            case .metadata(let metadata):
                describe(PublishedTexts(title: metadata.title, information: metadata.description))
            case .unsupported(let codec):
                // The names are few, because each codec is reported once.
                unsupported.append(codec)
                remarks.append(.unsupported(codec: codec))
            case .furtherAudio(let count): remarks.append(.furtherTracks(.audio, count: count))
            }
        }
    }

    private func noteUsable() { (hasPublished, usableDeadline) = (true, nil) }

    /// Announces the tracks of the main stream.
    private func announce(_ tracks: [Track]) {
        if let mismatch = input.stream.mismatch(of: tracks) {
            end = .unpromised(mismatch)
            return
        }
        counts = tracks.map { track in
            let name = track.format.summary
            return (name, counts.first { $0.codec == name }?.count ?? 0)
        }
        input.announce(tracks)
    }

    /// Announces a further video track and the audio, at the path that has this track.
    private func announce(_ tracks: [Track], of number: TrackNumber) {
        let known = furtherTracks.firstIndex { $0.number == number }
        let index = known ?? furtherTracks.count
        if known == nil { furtherTracks.append(FurtherTrack(number)) }
        furtherTracks[index].announced(tracks)
        look(forPathOf: index)
        if known == nil, furtherInput == nil { remarks.append(.furtherTracks(.video, count: furtherTracks.count)) }
    }

    private func look(forPathOf index: Int) {
        guard let furtherInput else { return }
        furtherTracks[index].look(for: furtherInput(furtherTracks[index].number))
        if let remark = furtherTracks[index].takeRemark(on: input.stream.path) { remarks.append(remark) }
    }
}
