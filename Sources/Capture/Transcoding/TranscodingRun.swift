import Codecs
import Logging
import Media
import Reactor
import Streams

/// The work of a transcoder's thread: decoders, encoders, and what is announced. Confined to that thread.
final class TranscodingRun {
    private let transcoding: ReceptionTranscoding
    private let pass: (ReceptionQueue.Order) -> Void
    private var audio: [TrackID: AudioTranscoder] = [:]
    private var video: [TrackID: VideoTranscoder] = [:]
    /// The tracks that are not encoded again; `nil` before they are known.
    private var carried: [Track]?
    private var announced: (tracks: [Track], revision: Int) = ([], 0)
    /// The tracks that cannot be encoded.
    private var failed: Set<TrackID> = []
    /// Units that were dropped and not logged yet.
    private var dropCount = 0
    private var lastDropReport: MonotonicTime?

    /// Opens the decoders, and the encoders whose settings are known.
    ///
    /// - Parameters:
    ///   - clock: that of the stream.
    ///   - pass: announces tracks and publishes units.
    init(
        _ formats: [TrackID: TranscodedFormat], _ transcoding: ReceptionTranscoding, clock: StreamClock,
        pass: @escaping (ReceptionQueue.Order) -> Void
    ) {
        (self.transcoding, self.pass) = (transcoding, pass)
        let control = transcoding.control
        for (id, format) in formats {
            do throws(CodecFailure) {
                switch format {
                case .audio(let format):
                    let settings = control.settings.audio ?? AudioEncoder.Settings()
                    audio[id] = try AudioTranscoder(format, as: settings, track: id)
                case .motionJPEG:
                    video[id] = try VideoTranscoder(id, control: control, clock: clock)
                }
            } catch {
                leaveOut(id, error)
            }
        }
    }

    func take(_ order: ReceptionQueue.Order) {
        switch order {
        case .announce(let tracks):
            carried = tracks
            announce()
        case .publish(let unit): publish(unit)
        }
    }

    private func publish(_ unit: AccessUnit) {
        guard !failed.contains(unit.track) else { return }
        do throws(CodecFailure) {
            let units = try encoded(unit)
            // The first frame, or a change of its size or settings.
            if video[unit.track] != nil { announce() }
            for unit in units { pass(.publish(unit)) }
        } catch {
            (audio[unit.track], video[unit.track]) = (nil, nil)
            leaveOut(unit.track, error)
            announce()
        }
    }

    private func encoded(_ unit: AccessUnit) throws(CodecFailure) -> [AccessUnit] {
        if let transcoder = audio[unit.track] { return try transcoder.units(of: unit) }
        if let transcoder = video[unit.track] { return try transcoder.units(of: unit) }
        return [unit]
    }

    /// Announces all tracks when all are known, and again when one has changed.
    private func announce() {
        guard let carried else { return }
        var tracks = carried + audio.values.map(\.track)
        for transcoder in video.values {
            guard let track = transcoder.track else { return }
            tracks.append(track)
        }
        tracks.sort { $0.id < $1.id }
        let revision = video.values.reduce(0) { $0 + $1.revision }
        guard !tracks.isEmpty, tracks != announced.tracks || revision != announced.revision else { return }
        announced = (tracks, revision)
        pass(.announce(tracks))
    }

    private func leaveOut(_ track: TrackID, _ failure: CodecFailure) {
        failed.insert(track)
        let remedy = failure.remedy.isEmpty ? "" : "; \(failure.remedy)"
        transcoding.log.error("track \(track.index + 1) is left out: \(failure.reason)\(remedy)")
    }

    /// Reports units that were dropped because this thread is too slow, at most once a minute.
    func dropped(_ count: Int) {
        guard count > 0 else { return }
        dropCount += count
        transcoding.control.skippedFrames(count)
        let now = MonotonicTime.now()
        if let lastDropReport, now - lastDropReport < 60_000_000_000 { return }
        lastDropReport = now
        transcoding.log.warning("\(dropCount) received frames were dropped, because they cannot be encoded fast enough")
        dropCount = 0
    }
}
