import Codecs
import Logging
import Media
import Reactor
import Streams

/// Publishes what a stream gets into its companion, with some audio encoded again. Confined to one thread.
final class CompanionRun {
    private let stream: Streams.Stream
    private let companion: Streams.Stream
    /// The codec as which audio is encoded.
    private let codec: Codec
    private let settings: AudioEncoder.Settings
    private let doorbell: Doorbell
    private let log: Logger
    /// The encoders by their tracks, each with the format that it was opened for.
    private var encoders: [TrackID: (format: Track.Format, transcoder: AudioTranscoder)] = [:]
    /// The tracks of the stream that the companion has announced last.
    private var announced: [Track] = []
    /// The number of that announcement in the reader's outputs; `nil` before the first.
    private var generation: Int?
    private var hasLoggedFailure = false
    /// The audio that is encoded again.
    private var encoded = EvenRelease()

    init(
        _ stream: Streams.Stream, _ companion: Streams.Stream, _ codec: Codec, _ settings: AudioEncoder.Settings,
        doorbell: Doorbell, log: Logger
    ) {
        (self.stream, self.companion, self.codec, self.settings) = (stream, companion, codec, settings)
        (self.doorbell, self.log) = (doorbell, log)
    }

    /// Runs until `mayContinue` is false, which it asks at least twenty times a second.
    func run(while mayContinue: () -> Bool) {
        while mayContinue() {
            guard let reader = ParentStreamReader(stream, doorbell: doorbell, from: .lastKeyframe) else {
                doorbell.wait(milliseconds: 50)
                continue
            }
            generation = nil
            announce(reader.tracks)
            for output in reader.takeOutputs() { pass(output, of: reader, isHistory: true) }
            while !reader.hasEnded, mayContinue() {
                for output in reader.takeOutputs() { pass(output, of: reader) }
                release(at: .now())
                wait()
            }
            release(at: .distantFuture)
        }
    }

    /// Waits for a unit of the stream, or until the next unit is released.
    private func wait() {
        let pause = encoded.nextDeadline.map { ($0 - .now() + 999_999) / 1_000_000 } ?? 50
        doorbell.wait(milliseconds: Int32(max(0, min(pause, 50))))
    }

    private func release(at now: MonotonicTime) {
        while let unit = encoded.next(at: now) { companion.publish(unit) }
    }

    /// - Parameter isHistory: whether it is from before the start. Then it waits for nothing.
    private func pass(
        _ output: ParentStreamReader.PassthroughPackager.Output, of reader: ParentStreamReader, isHistory: Bool = false
    ) {
        if generation != output.generation {
            // What the reader began with is announced already.
            let isFirst = generation == nil
            generation = output.generation
            if !isFirst || reader.tracks != announced { announce(reader.tracks) }
        }
        guard let encoder = encoders[output.track] else { return companion.publish(output.unit) }
        do throws(CodecFailure) {
            for unit in try encoder.transcoder.units(of: output.unit) {
                if isHistory {
                    companion.publish(unit)
                    continue
                }
                let presentation = companion.epoch + unit.presentationTime.nanoseconds
                encoded.add(unit, presentedAt: presentation, at: .now())
            }
        } catch {
            failed(error)
        }
    }

    /// Announces the tracks as the companion's viewers get them. A track that cannot be encoded stays as it is: its viewers do
    /// without it.
    private func announce(_ tracks: [Track]) {
        // What waits belongs to the tracks before.
        release(at: .distantFuture)
        var current: [TrackID: (format: Track.Format, transcoder: AudioTranscoder)] = [:]
        for track in tracks where track.isEncoded(as: codec) {
            if let encoder = encoders[track.id], encoder.format == track.format {
                current[track.id] = encoder
                continue
            }
            do throws(CodecFailure) {
                current[track.id] = (track.format, try transcoder(of: track))
            } catch {
                failed(error)
            }
        }
        (encoders, announced) = (current, tracks)
        companion.announce(tracks.map { encoders[$0.id]?.transcoder.track ?? $0 })
    }

    private func transcoder(of track: Track) throws(CodecFailure) -> AudioTranscoder {
        codec == .opus
            ? try AudioTranscoder(track.format, asOpusAt: settings.bitrate, track: track.id)
            : try AudioTranscoder(track.format, as: settings, track: track.id)
    }

    private func failed(_ failure: CodecFailure) {
        guard !hasLoggedFailure else { return }
        hasLoggedFailure = true
        let remedy = failure.remedy.isEmpty ? "" : "; \(failure.remedy)"
        log.error("audio cannot be encoded for \(codec.companionViewers): \(failure.reason)\(remedy)")
    }
}
