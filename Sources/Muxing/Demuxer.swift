import CFFmpeg
import Media

/// Reads a container in any format that libavformat supports, from a file, a URL or a stream of bytes. Confined to one thread; reads block.
///
/// It plays at most one video and one audio track, the best ones according to libavformat, and ignores all others.
public final class Demuxer {
    /// The tracks to play, video first.
    public private(set) var tracks: [DemuxedTrack] = []
    /// Whether packets have times. Those of a raw H.264 or H.265 stream have none.
    public let hasTimes: Bool
    /// Damaged packets skipped so far.
    public private(set) var damagedPacketCount = 0

    /// Whether the input has no end that is known and cannot be played again: a live stream rather than a recording.
    public let isLive: Bool

    private var context: UnsafeMutablePointer<AVFormatContext>?
    /// Reads a stream of bytes; `nil` for a file or a URL.
    private var reader: UnsafeMutablePointer<AVIOContext>?
    private let bytes: ByteInput?
    /// Reads an `http`, `https` or `udp` URL.
    private let resources: ResourceInput?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private let interruption: Interruption
    /// For messages.
    private let name: String
    /// Packets that were read ahead to detect the formats.
    private var peeked: [DemuxedPacket] = []
    private var peekedIndex = 0

    /// The maximum number of packets read to detect what a header does not say: some seconds of video and audio.
    private static let peekLimit = 512

    /// Opens an input and detects its formats, for which it reads up to a few megabytes. The first call in a process takes some
    /// twenty milliseconds more because libavformat must be loaded.
    ///
    /// - Parameters:
    ///   - bytes: the stream, if the input is one.
    ///   - opener: opens what is read of an `http`, `https` or `udp` URL.
    ///   - kinds: the kinds of tracks to play.
    public init(
        _ input: DemuxerInput, reading bytes: ByteInput? = nil, through opener: (any ResourceOpener)? = nil,
        playing kinds: Set<Codec.Kind> = [.video, .audio], interruption: Interruption = Interruption()
    ) throws(DemuxFailure) {
        _ = Self.quietByDefault
        // This comes first because `deinit` calls libavformat too.
        try Self.loadLibrary()
        self.interruption = interruption
        (name, self.bytes, resources) = (input.name, bytes, opener.map(ResourceInput.init))
        guard let context = avformat_alloc_context(), let packet = av_packet_alloc() else {
            throw DemuxFailure("out of memory for \(name)", remedy: "add memory")
        }
        context.pointee.interrupt_callback = interruption.callback
        self.packet = packet
        if let bytes {
            reader = bytes.reader
            context.pointee.pb = reader
        }
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        if case .url(let url, _) = input, DemuxerInput.usesOpener(url), resources?.open(url, for: context) != true {
            avformat_close_input(&opened)
            (hasTimes, isLive) = (false, false)
            throw Self.failure(resources, "\(name) cannot be read", code: apus_averror_eacces, remedy: input.remedy)
        }
        var options: OpaquePointer?
        input.setOptions(&options)
        let status = avformat_open_input(&opened, input.location, nil, &options)
        av_dict_free(&options)
        // On failure libavformat has freed the context.
        self.context = opened
        hasTimes = opened.map { !["h264", "hevc"].contains(String(cString: $0.pointee.iformat.pointee.name)) } ?? false
        guard status >= 0, let opened else {
            isLive = false
            throw Self.failure(resources, "\(name) cannot be read", code: status, remedy: input.remedy)
        }
        let found = avformat_find_stream_info(opened, nil)
        let isSeekable = opened.pointee.pb.map { $0.pointee.seekable != 0 } ?? true
        isLive = !input.isFile && (opened.pointee.duration <= 0 || !isSeekable)
        guard found >= 0 else {
            throw Self.failure(
                resources, "\(name) holds nothing that can be read", code: found, remedy: input.remedy)
        }
        try chooseTracks(of: kinds, opened)
    }

    deinit {
        avformat_close_input(&context)
        if reader != nil { apus_close_reader(&reader) }
        av_packet_free(&packet)
    }

    /// The next packet of a played track in the container's order; `nil` at the end, or where the file is truncated.
    public func next() throws(DemuxFailure) -> DemuxedPacket? {
        if peekedIndex < peeked.count {
            peekedIndex += 1
            return peeked[peekedIndex - 1]
        }
        return try read()
    }

    /// Returns to the first packet.
    public func rewind() throws(DemuxFailure) {
        guard let context else { return }
        peeked = []
        peekedIndex = 0
        // Raw streams have no index, so the byte position is sought instead.
        var status = avformat_seek_file(context, -1, .min, 0, 0, AVSEEK_FLAG_BACKWARD)
        if status < 0 || !hasTimes { status = av_seek_frame(context, -1, 0, AVSEEK_FLAG_BYTE) }
        guard status >= 0 else {
            throw DemuxFailure("\(name) cannot be played again from its start", code: status, remedy: "play it once")
        }
    }

    /// The lowest decode time of any track's first packet, in nanoseconds; 0 if there are no times.
    public var firstDecode: Int64 {
        tracks.compactMap { track in
            peeked.first { $0.track == track.index }.flatMap { $0.decode ?? $0.presentation }
        }.min() ?? 0
    }

    /// The reason that the opener of resources gives, or else that of libavformat.
    private static func failure(
        _ resources: ResourceInput?, _ what: String, code: CInt, remedy: String
    ) -> DemuxFailure {
        guard let failure = resources?.failure else { return DemuxFailure(what, code: code, remedy: remedy) }
        return DemuxFailure(
            "\(what): \(failure.reason)", remedy: failure.remedy.isEmpty ? remedy : failure.remedy,
            isInterruption: failure.isInterruption)
    }

    private static let quietByDefault: Void = apus_log_default_quiet()

    private static func loadLibrary() throws(DemuxFailure) {
        guard let reason = apus_load_libavformat() else { return }
        throw DemuxFailure(
            "files need libavformat, which cannot be loaded: \(String(cString: reason))",
            remedy: "install it, as the package libavformat\(LIBAVFORMAT_VERSION_MAJOR)")
    }
}

// MARK: - Reading

extension Demuxer {
    private func read() throws(DemuxFailure) -> DemuxedPacket? {
        guard let context, let packet else { return nil }
        // This loop ends even with damaged packets, because each turn consumes input.
        while true {
            let status = av_read_frame(context, packet)
            if interruption.isInterrupted {
                throw DemuxFailure("reading \(name) was interrupted", remedy: "", isInterruption: true)
            }
            guard status >= 0 else {
                if status != apus_averror_eof { damagedPacketCount += 1 }
                // A recording is played as far as it can be read.
                guard isLive, resources?.inputFailure != nil else { return nil }
                throw Self.failure(resources, "\(name) has ended", code: status, remedy: "")
            }
            defer { av_packet_unref(packet) }
            let index = Int(packet.pointee.stream_index)
            guard packet.pointee.size > 0, let data = packet.pointee.data,
                tracks.isEmpty || tracks.contains(where: { $0.index == index }),
                index < Int(context.pointee.nb_streams), let stream = context.pointee.streams[index]
            else { continue }
            let base = stream.pointee.time_base
            return DemuxedPacket(
                track: index, presentation: Self.nanoseconds(packet.pointee.pts, base),
                decode: Self.nanoseconds(packet.pointee.dts, base),
                duration: Swift.max(0, Self.nanoseconds(packet.pointee.duration, base) ?? 0),
                bytes: Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))))
        }
    }

    /// `nil` if there is no time, or an implausible one (beyond 30 years).
    private static func nanoseconds(_ ticks: Int64, _ base: AVRational) -> Int64? {
        guard ticks != apus_nopts, base.num > 0, base.den > 0 else { return nil }
        let value = av_rescale_q_rnd(ticks, base, AVRational(num: 1, den: 1_000_000_000), AV_ROUND_NEAR_INF)
        return (-1_000_000_000_000_000_000...1_000_000_000_000_000_000).contains(value) ? value : nil
    }
}

// MARK: - Formats

extension Demuxer {
    private func chooseTracks(
        of kinds: Set<Codec.Kind>, _ context: UnsafeMutablePointer<AVFormatContext>
    ) throws(DemuxFailure) {
        let video = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        let audio = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, video, nil, 0)
        let best = [(video, Codec.Kind.video), (audio, .audio)].filter { $0.0 >= 0 && kinds.contains($0.1) }
        let chosen = best.map { Int($0.0) }.filter { !isCover(context, $0) }
        for index in 0..<Int(context.pointee.nb_streams) where !chosen.contains(index) {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
        guard !chosen.isEmpty else {
            throw DemuxFailure(
                kinds.contains(.audio)
                    ? "\(name) contains neither video nor audio"
                    : "\(name) contains no video, and its audio is switched off",
                remedy: "serve a video file")
        }
        try peek(chosen)
        tracks = chosen.compactMap { describe(context, $0) }
        peeked.removeAll { packet in !tracks.contains { $0.index == packet.track } }
    }

    /// Whether the stream is album art: an image that players show beside the audio, not a track.
    private func isCover(_ context: UnsafeMutablePointer<AVFormatContext>, _ index: Int) -> Bool {
        (context.pointee.streams[index]?.pointee.disposition ?? 0) & AV_DISPOSITION_ATTACHED_PIC != 0
    }

    /// Reads until there is a packet of every track, or `peekLimit` packets.
    private func peek(_ chosen: [Int]) throws(DemuxFailure) {
        var missing = Set(chosen)
        while !missing.isEmpty, peeked.count < Self.peekLimit, let packet = try read() {
            peeked.append(packet)
            missing.remove(packet.track)
        }
    }

    private func describe(_ context: UnsafeMutablePointer<AVFormatContext>, _ index: Int) -> DemuxedTrack? {
        guard let stream = context.pointee.streams[index], let parameters = stream.pointee.codecpar else { return nil }
        let rate = stream.pointee.avg_frame_rate
        var frame: Int64?
        if rate.num > 0 && rate.den > 0 { frame = 1_000_000_000 * Int64(rate.den) / Int64(rate.num) }
        let isVideo = parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        let codecName = String(cString: avcodec_get_name(parameters.pointee.codec_id))
        let carried = Codec(libavcodecName: codecName).flatMap { format(of: $0, parameters.pointee, index) }
        return DemuxedTrack(
            index: index, format: carried ?? (isVideo ? .otherVideo : .otherAudio), codecName: codecName,
            frameNanoseconds: isVideo ? frame : nil, width: Int(parameters.pointee.width),
            height: Int(parameters.pointee.height), rotation: isVideo ? Int(apus_rotation(stream)) : 0,
            parameters: UnsafePointer(parameters))
    }

    /// `nil` if the container lacks parameters that the codec needs.
    private func format(
        of codec: Codec, _ parameters: AVCodecParameters, _ index: Int
    ) -> DemuxedTrack.Format? {
        let header = parameters.extradata.map {
            Array(UnsafeBufferPointer(start: $0, count: Int(parameters.extradata_size)))
        }
        switch codec {
        case .h264: return h264(header ?? [], index)
        case .h265: return h265(header ?? [], index)
        case .aac: return aac(header ?? [], index)
        case .opus: return opus(header ?? [])
        case .pcma: return g711(.a, parameters)
        case .pcmu: return g711(.mu, parameters)
        }
    }

    private func h264(_ header: [UInt8], _ index: Int) -> DemuxedTrack.Format? {
        if let record = H264.DecoderConfigurationRecord(parsing: header) {
            return .h264(record.parameterSets, lengthSize: record.lengthSize)
        }
        // A version 1 record with errors still means that packets have length prefixes, not start codes.
        guard header.first != 1 else { return nil }
        let tracker = annexB(header, index, H264.ParameterSetTracker())
        return tracker.parameterSets.map { .h264($0, lengthSize: nil) }
    }

    private func h265(_ header: [UInt8], _ index: Int) -> DemuxedTrack.Format? {
        if let record = H265.DecoderConfigurationRecord(parsing: header), let sets = record.parameterSets {
            return .h265(sets, lengthSize: record.lengthSize)
        }
        // Only Annex B begins with zeros.
        guard header.first ?? 0 == 0 else { return nil }
        let tracker = annexB(header, index, H265.ParameterSetTracker())
        return tracker.parameterSets.map { .h265($0, lengthSize: nil) }
    }

    /// The parameter sets in Annex B format: of the container's header, and of the first packets if that is not enough.
    private func annexB<Tracker: ParameterSetTracking>(_ header: [UInt8], _ index: Int, _ empty: Tracker) -> Tracker {
        var tracker = empty
        for bytes in [header] + peeked.filter({ $0.track == index }).map(\.bytes) where tracker.format == nil {
            var splitter = H264.AnnexBSplitter()
            splitter.push(bytes)
            while let unit = splitter.next() ?? splitter.flush() { _ = tracker.observe(unit) }
        }
        return tracker
    }

    /// OpusHead (RFC 7845, section 5.1): with mapping family 0, packets have one or two channels.
    private func opus(_ header: [UInt8]) -> DemuxedTrack.Format? {
        guard header.count >= 19, header.starts(with: Array("OpusHead".utf8)), header[18] == 0,
            (1...2).contains(header[9])
        else { return nil }
        return .opus(channelCount: Int(header[9]))
    }

    private func g711(_ law: G711.Law, _ parameters: AVCodecParameters) -> DemuxedTrack.Format? {
        ClockRate(hertz: parameters.sample_rate)
            .flatMap { G711(law, sampleRate: $0, channelCount: Int(parameters.ch_layout.nb_channels)) }
            .map { .g711($0) }
    }

    private func aac(_ header: [UInt8], _ index: Int) -> DemuxedTrack.Format? {
        let first = peeked.first { $0.track == index }?.bytes ?? []
        if let adts = AAC.ADTSHeader(parsing: first), adts.frameLength == first.count {
            return .aac(adts.configuration, isADTS: true)
        }
        return AAC.AudioSpecificConfig(parsing: header).map { .aac($0, isADTS: false) }
    }
}
