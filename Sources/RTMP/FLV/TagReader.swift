import Media
import Wire

/// Makes tracks and access units of the media messages of one publisher.
///
/// FLV does not say how many tracks a stream has. So the tracks are announced with the first frame for which all kinds are known that the
/// metadata promises (video and audio if there is none), at the latest after a second. Frames before that are kept. All tracks are
/// announced again if a track comes later or changes its configuration. Malformed messages are counted and dropped.
public struct TagReader: Sendable {
    public enum Output: Sendable {
        /// The units from now on belong to these tracks, video first.
        case tracks([Track])
        case unit(AccessUnit)
        case metadata(StreamMetadata)
        /// The publisher sends a codec that is not received. It is reported once for each codec.
        case unsupported(codec: String)
    }

    /// How long tracks that are not there yet are waited for.
    private static let gatheringMilliseconds: Int64 = 1_000
    /// The most bytes of frames that wait for the announcement, and the most tracks: OBS sends up to five of video.
    private static let maximumHeldByteCount = 8 << 20
    private static let maximumTrackCount = 8

    private struct TrackKey: Hashable, Comparable {
        let kind: Codec.Kind
        let number: UInt8

        static func < (left: Self, right: Self) -> Bool {
            left.kind == right.kind ? left.number < right.number : left.kind == .video
        }
    }

    private var clock: TagClock
    private var tracks: [TrackKey: ReceivedTrack] = [:]
    /// The announced tracks; `nil` before the announcement. The index of a track here is its id.
    private var announced: [TrackKey]?
    private var held: [(key: TrackKey, unit: AccessUnit)] = []
    private var heldByteCount = 0
    private var metadata: StreamMetadata?
    private var unsupported: Set<String> = []
    private var outputs: [Output] = []
    /// When tracks are announced even if a kind is missing; `nil` before the first track and after the announcement.
    public private(set) var deadline: MonotonicTime?
    /// Messages and frames that are malformed or come before their configuration.
    public private(set) var malformedCount = 0

    /// - Parameter epoch: of the stream: media times count from it.
    public init(epoch: MonotonicTime) {
        clock = TagClock(epoch: epoch)
    }

    /// A media message has come.
    public mutating func received(_ message: Message, arrival: MonotonicTime) {
        deadlinePassed(at: arrival)
        switch message.type {
        case .audio, .video: receivedMedia(message, arrival)
        case .aggregate:
            guard let parts = AggregateMessage.messages(in: message) else {
                malformedCount += 1
                return
            }
            for part in parts where part.type != .aggregate { received(part, arrival: arrival) }
        default: receivedData(message)
        }
    }

    /// Time has passed: announces the tracks if the ``deadline`` is over.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        if let deadline, now >= deadline { announce() }
    }

    /// The next output.
    public mutating func next() -> Output? {
        outputs.isEmpty ? nil : outputs.removeFirst()
    }

    // MARK: - Messages

    private mutating func receivedData(_ message: Message) {
        do throws(RTMPError) {
            guard let metadata = try StreamMetadata(message) else { return }
            self.metadata = metadata
            outputs.append(.metadata(metadata))
        } catch {
            malformedCount += 1
        }
    }

    private mutating func receivedMedia(_ message: Message, _ arrival: MonotonicTime) {
        guard let tags = MediaTag.tags(in: message) else {
            malformedCount += 1
            return
        }
        guard !tags.isEmpty else { return }
        let decode = clock.milliseconds(of: message.timestamp, arrival: arrival)
        for tag in tags {
            let key = TrackKey(kind: message.type == .video ? .video : .audio, number: tag.number)
            if case .unsupported(let codec) = tag.codec { reportUnsupported(codec) }
            switch tag.content {
            case .configuration(let range):
                configure(key, tag.codec, Array(message.payload[range]), arrival)
            case .frame(let composition, let range):
                receivedFrame(key, tag.codec, message.payload, range, decode: decode, composition: composition)
            case .other: break
            }
        }
    }

    private mutating func reportUnsupported(_ codec: String) {
        // A publisher cannot make the list grow: there are few numbers, and FourCCs that have no name are not listed more than this.
        guard unsupported.count < Self.maximumTrackCount, unsupported.insert(codec).inserted else { return }
        outputs.append(.unsupported(codec: codec))
    }

    private mutating func configure(
        _ key: TrackKey, _ codec: TagCodec, _ configuration: [UInt8], _ arrival: MonotonicTime
    ) {
        if case .unsupported = codec { return }
        guard tracks[key] != nil || tracks.count < Self.maximumTrackCount,
            let track = ReceivedTrack(codec, configuration: configuration)
        else {
            malformedCount += 1
            return
        }
        // Many encoders repeat the configuration.
        if let former = tracks[key], former.format == track.format { return }
        // Frames that wait for the announcement may have another clock.
        held.removeAll { $0.key == key }
        heldByteCount = held.reduce(0) { $0 + $1.unit.bytes.count }
        tracks[key] = track.continuing(tracks[key])
        if announced != nil {
            announce()
        } else if deadline == nil {
            deadline = arrival.advanced(byMilliseconds: Self.gatheringMilliseconds)
        }
    }

    private mutating func receivedFrame(
        _ key: TrackKey, _ codec: TagCodec, _ payload: [UInt8], _ range: Range<Int>, decode: Int64, composition: Int32
    ) {
        if case .unsupported = codec { return }
        guard var track = tracks.removeValue(forKey: key) else {
            malformedCount += 1
            return
        }
        let former = track.format
        let id = TrackID(announced?.firstIndex(of: key) ?? 0)
        let unit = track.unit(payload, range, on: id, decode: decode, composition: composition)
        tracks[key] = track
        if track.format != former, announced != nil { announce() }
        guard let unit else { return }
        if announced == nil { hold(unit, of: key) } else { outputs.append(.unit(unit)) }
    }

    // MARK: - Announcement

    private mutating func hold(_ unit: AccessUnit, of key: TrackKey) {
        held.append((key, unit))
        heldByteCount += unit.bytes.count
        if isComplete || heldByteCount > Self.maximumHeldByteCount { announce() }
    }

    /// Whether there is a track of each kind that is expected.
    private var isComplete: Bool {
        let kinds = Set(tracks.keys.map(\.kind))
        let expectsVideo = metadata.map { $0.hasVideo || !$0.hasAudio } ?? true
        let expectsAudio = metadata.map { $0.hasAudio || !$0.hasVideo } ?? true
        return (!expectsVideo || kinds.contains(.video)) && (!expectsAudio || kinds.contains(.audio))
    }

    private mutating func announce() {
        deadline = nil
        let keys = tracks.keys.sorted()
        announced = keys
        outputs.append(
            .tracks(
                keys.enumerated().compactMap { index, key in
                    tracks[key].map { Track(id: TrackID(index), format: $0.format) }
                }))
        for (key, unit) in held {
            outputs.append(.unit(unit.on(TrackID(keys.firstIndex(of: key) ?? 0))))
        }
        (held, heldByteCount) = ([], 0)
    }
}
