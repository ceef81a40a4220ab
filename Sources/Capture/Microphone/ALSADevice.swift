import CALSA
import Codecs
import Glibc
import Media
import Reactor
import Streams

/// A sound card's microphone, or any other capture PCM that ALSA knows by name. Confined to one thread.
final class ALSADevice: AudioDevice {
    let format: SampleFormat
    /// ALSA's name: `default`, `hw:CARD=Device,DEV=0`.
    private let name: String
    private let pcm: OpaquePointer
    private let status: OpaquePointer
    /// The number of frames in a period; each wait lasts about one period. A read takes all available frames, up to four periods.
    private let periodFrameCount: Int

    /// Opens the device and starts capturing.
    ///
    /// - Parameter wanted: the format to come close to; the resampler does the rest.
    init(_ name: String, near wanted: SampleFormat) throws(SourceFailure) {
        calsa_quiet()
        self.name = name
        pcm = try Self.open(name)
        do throws(SourceFailure) {
            (format, periodFrameCount) = try ALSAParameters.set(on: pcm, of: name, near: wanted)
            status = try Self.makeStatus()
        } catch {
            snd_pcm_close(pcm)
            throw error
        }
        try start()
    }

    deinit {
        snd_pcm_status_free(status)
        snd_pcm_close(pcm)
    }

    /// Opens `name` for capturing. Returns at once even if another process has it open.
    static func open(_ name: String) throws(SourceFailure) -> OpaquePointer {
        var pcm: OpaquePointer?
        let code = snd_pcm_open(&pcm, name, SND_PCM_STREAM_CAPTURE, CInt(SND_PCM_NONBLOCK))
        guard code >= 0, let pcm else { throw .microphone(name, code: code) }
        return pcm
    }

    private static func makeStatus() throws(SourceFailure) -> OpaquePointer {
        var status: OpaquePointer?
        guard snd_pcm_status_malloc(&status) >= 0, let status else {
            throw SourceFailure(reason: "not enough memory for the microphone")
        }
        return status
    }

    private func start() throws(SourceFailure) {
        let code = snd_pcm_start(pcm)
        guard code >= 0 else { throw .microphone(name, code: code) }
    }

    // MARK: - Reading

    func read() throws(SourceFailure) -> AudioReadResult {
        let ready = snd_pcm_wait(pcm, 50)
        guard ready >= 0 else { return try recover(from: ready) }
        guard ready > 0 else { return .nothing }
        let code = snd_pcm_status(pcm, status)
        guard code >= 0 else { return try recover(from: code) }
        switch snd_pcm_status_get_state(status) {
        case SND_PCM_STATE_XRUN: return try recover(from: -EPIPE)
        case SND_PCM_STATE_SUSPENDED: return try recover(from: -ESTRPIPE)
        case SND_PCM_STATE_DISCONNECTED: throw .microphone(name, code: -ENODEV)
        default: return try readAvailable()
        }
    }

    private func readAvailable() throws(SourceFailure) -> AudioReadResult {
        let available = Int(snd_pcm_status_get_avail(status))
        let count = min(available, 4 * periodFrameCount)
        guard count > 0 else { return .nothing }
        let instant = firstFrameInstant(of: available)
        var read: snd_pcm_sframes_t = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count * format.bytesPerFrame) { bytes, byteCount in
            read = snd_pcm_readi(pcm, bytes.baseAddress, snd_pcm_uframes_t(count))
            byteCount = max(0, read) * format.bytesPerFrame
        }
        if read == -snd_pcm_sframes_t(EAGAIN) { return .nothing }
        guard read >= 0 else { return try recover(from: CInt(read)) }
        return read == 0 ? .nothing : .audio(CapturedAudio(bytes: bytes, instant: instant))
    }

    /// When the first of the waiting frames was captured, computed from the timestamp of the newest one.
    private func firstFrameInstant(of available: Int) -> MonotonicTime {
        var stamp = snd_htimestamp_t()
        snd_pcm_status_get_htstamp(status, &stamp)
        let now = MonotonicTime.now()
        var newest = MonotonicTime(nanoseconds: Int64(stamp.tv_sec) &* 1_000_000_000 &+ Int64(stamp.tv_nsec))
        // Drivers without timestamps return 0, and some return wall-clock time.
        if newest > now || now - newest > 1_000_000_000 { newest = now }
        // Frames that are still inside the card were also captured earlier.
        let delay = max(available, min(snd_pcm_status_get_delay(status), available + format.sampleRate))
        return newest + -Int64(delay) * 1_000_000_000 / Int64(format.sampleRate)
    }

    /// Restarts capture after an xrun or a suspend.
    private func recover(from code: CInt) throws(SourceFailure) -> AudioReadResult {
        // EINTR: a signal interrupted the wait.
        if code == -EINTR || code == -EAGAIN { return .nothing }
        guard code == -EPIPE || code == -ESTRPIPE else { throw .microphone(name, code: code) }
        // Resuming instead would need a wait and gain nothing, because the audio in between is lost anyway.
        let prepared = snd_pcm_prepare(pcm)
        guard prepared >= 0 else { throw .microphone(name, code: prepared) }
        try start()
        return .lost
    }
}
