import Media
import Wire

/// Makes tracks and access units of the media messages of one publisher.
///
/// Each track of video is a stream of its own, with the first track of audio: a ``TrackGroup``. That of the lowest number is the main stream;
/// the others are known by the numbers of their tracks. What is malformed is counted and dropped, and disturbs no other track.
public struct TagReader: Sendable {
    public enum Output: Sendable {
        /// The units of this stream from now on belong to these tracks, video first.
        case tracks([Track], of: TrackNumber)
        case unit(AccessUnit, of: TrackNumber)
        case metadata(StreamMetadata)
        /// The publisher sends a codec that is not received. It is reported once for each codec.
        case unsupported(codec: String)
        /// The publisher sends so many tracks of audio beside the one that is received.
        case furtherAudio(count: Int)
    }

    /// The most bytes of frames that wait for the announcement: of the main stream, and of each other.
    private static let (maximumHeldByteCount, maximumHeldByteCountOfOthers) = (8 << 20, 2 << 20)
    /// The most tracks of each kind: OBS sends up to six.
    private static let maximumTrackCount = 8
    /// The most tags of one message, or of all messages in an aggregate: a message has one for each track. Without a limit,
    /// a message of 4 MB could have 800 000 frames, and those of audio go to all streams.
    static let maximumTagCount = 4_096

    private var clock: TagClock
    private var tracks: [TrackKey: ReceivedTrack] = [:]
    private var main = TrackGroup(.main, maximumHeldByteCount: maximumHeldByteCount)
    /// One group for each video track that is not the main one.
    private var others: [TrackGroup] = []
    /// The lowest number of the tracks of each kind.
    private var first: [Codec.Kind: TrackNumber] = [:]
    private var metadata: StreamMetadata?
    private var unsupported: Set<String> = []
    /// What was made of the last messages, and how much of it was taken. The outputs are removed together, because an aggregate makes
    /// thousands.
    private var outputs: [Output] = []
    private var takenCount = 0
    /// Tags of the present message.
    private var tagCount = 0
    /// Whether the present message has a frame that is received.
    private var hasFrame = false
    /// What is wrong with the audio and video messages.
    public private(set) var faults = TagFaults()
    private var malformedDataCount = 0

    /// - Parameter epoch: of the stream: media times count from it.
    public init(epoch: MonotonicTime) {
        clock = TagClock(epoch: epoch)
    }

    /// Messages, tracks in messages and frames that are malformed or come before their configuration.
    public var malformedCount: Int { faults.count + malformedDataCount }

    /// When tracks are announced even if a kind is missing; `nil` if no stream waits for one.
    public var deadline: MonotonicTime? {
        others.reduce(main.deadline) { [$0, $1.deadline].compactMap(\.self).min() }
    }

    /// A media message has come.
    ///
    /// - Returns: whether it has a frame that is received, and not only a configuration, data, or what cannot be read.
    @discardableResult
    public mutating func received(_ message: Message, arrival: MonotonicTime) -> Bool {
        deadlinePassed(at: arrival)
        (tagCount, hasFrame) = (0, false)
        if message.type == .aggregate {
            receivedAggregate(message, arrival)
        } else {
            read(message, arrival)
        }
        return hasFrame
    }

    /// Time has passed: announces the tracks if the ``deadline`` is over.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        main.deadlinePassed(at: now, &outputs)
        for index in others.indices { others[index].deadlinePassed(at: now, &outputs) }
    }

    /// The next output.
    public mutating func next() -> Output? {
        guard takenCount < outputs.count else { return nil }
        let output = outputs[takenCount]
        takenCount += 1
        if takenCount == outputs.count {
            // The memory is kept for the next message, unless this one had many more frames than usual.
            outputs.removeAll(keepingCapacity: outputs.count <= Self.usualOutputCount)
            takenCount = 0
        }
        return output
    }

    /// A frame of each track.
    private static let usualOutputCount = 2 * maximumTrackCount

    // MARK: - Messages

    private mutating func receivedAggregate(_ message: Message, _ arrival: MonotonicTime) {
        guard let parts = AggregateMessage.messages(in: message) else { return faults.foundMalformed() }
        for part in parts where part.type != .aggregate { read(part, arrival) }
    }

    private mutating func read(_ message: Message, _ arrival: MonotonicTime) {
        switch message.type {
        case .audio, .video: receivedMedia(message, arrival)
        default: receivedData(message)
        }
    }

    private mutating func receivedData(_ message: Message) {
        do throws(RTMPError) {
            guard let metadata = try StreamMetadata(message) else { return }
            self.metadata = metadata
            outputs.append(.metadata(metadata))
        } catch {
            malformedDataCount += 1
        }
    }

    private mutating func receivedMedia(_ message: Message, _ arrival: MonotonicTime) {
        let (found, malformedTagCount) = MediaTag.tags(in: message)
        let tags = found.prefix(Self.maximumTagCount - tagCount)
        tagCount += tags.count
        faults.foundMalformed(malformedTagCount + found.count - tags.count)
        guard !tags.isEmpty else { return }
        let decode = clock.time(of: message.timestamp, arrival: arrival)
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
        let isNew = tracks[key] == nil
        let count = tracks.keys.count { $0.kind == key.kind }
        guard !isNew || count < Self.maximumTrackCount,
            let track = ReceivedTrack(codec, configuration: configuration)
        else { return faults.foundMalformed() }
        faults.configured(key.kind)
        // Many encoders repeat the configuration. It replaces parameter sets that have come in band and are not used yet.
        if let former = tracks[key], former.format == track.format {
            if key.kind == .video { tracks[key] = track.continuing(former) }
            return
        }
        tracks[key] = track.continuing(tracks[key])
        first[key.kind] = min(first[key.kind] ?? key.number, key.number)
        if isNew { begin(key, arrival) }
        forEachGroup(of: key) { $0.configured(key.kind, track.format, arrival: arrival, &$1) }
        if isNew, key.kind == .audio, count > 0 { outputs.append(.furtherAudio(count: count)) }
    }

    /// Begins the stream of a new track of video.
    private mutating func begin(_ key: TrackKey, _ arrival: MonotonicTime) {
        guard key.kind == .video, key.number != .main else { return }
        var group = TrackGroup(key.number, maximumHeldByteCount: Self.maximumHeldByteCountOfOthers)
        let audio = first[.audio].flatMap { tracks[TrackKey(kind: .audio, number: $0)] }
        if let audio { group.configured(.audio, audio.format, arrival: arrival, &outputs) }
        others.append(group)
    }

    private mutating func receivedFrame(
        _ key: TrackKey, _ codec: TagCodec, _ payload: [UInt8], _ range: Range<Int>, decode: TagTime, composition: Int32
    ) {
        if case .unsupported = codec { return }
        guard var track = tracks.removeValue(forKey: key) else {
            return faults.foundUnconfigured(key.kind, isFirst: first[key.kind] == nil)
        }
        let former = track.format
        let frame = track.frame(payload, range, on: TrackID(0), decode: decode, composition: composition)
        tracks[key] = track
        if track.format != former { forEachGroup(of: key) { $0.changed(key.kind, to: track.format, &$1) } }
        switch frame {
        case .unit(let unit): receivedUnit(unit, key)
        case .nothingToDecode: break
        case .malformed: faults.foundMalformed()
        }
    }

    private mutating func receivedUnit(_ unit: AccessUnit, _ key: TrackKey) {
        hasFrame = true
        let kinds = expectedKinds
        forEachGroup(of: key) { $0.received(unit, key.kind, expecting: kinds, &$1) }
    }

    /// Changes the streams to which a track belongs: the first audio to all, the first video to the main one, and each video to its own.
    private mutating func forEachGroup(of key: TrackKey, _ change: (inout TrackGroup, inout [Output]) -> Void) {
        let isFirst = first[key.kind] == key.number
        if isFirst { change(&main, &outputs) }
        for index in others.indices where key.kind == .audio ? isFirst : others[index].number == key.number {
            change(&others[index], &outputs)
        }
    }

    /// The kinds of tracks that the metadata promises.
    private var expectedKinds: Set<Codec.Kind> {
        guard let metadata, metadata.hasVideo != metadata.hasAudio else { return [.video, .audio] }
        return metadata.hasVideo ? [.video] : [.audio]
    }
}
