import CALSA
import Codecs
import Glibc
import Streams

/// A microphone of this machine, for people who choose one.
public struct MicrophoneDescription: Equatable, Sendable {
    /// What `audio.device` names it by: `plughw:CARD=Device,DEV=0`.
    public let name: String
    /// The card and what the driver calls the device: `USB Audio Device, USB Audio`.
    public let description: String
    /// The usual rates that it can sample at, in Hz, ascending; empty where it cannot be asked.
    public let sampleRates: [Int]
    /// How many channels it can deliver; `nil` where it cannot be asked.
    public let channelCounts: ClosedRange<Int>?
    /// Why it cannot be asked, busy for example; `nil` where it could.
    public let problem: SourceFailure?

    private static let commonRates = [
        8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000,
    ]

    /// Opens what ALSA knows by `asked` and asks it.
    init(asking asked: String, name: String, description: String) {
        self.name = name
        self.description = description
        do throws(SourceFailure) {
            let pcm = try ALSADevice.open(asked)
            defer { snd_pcm_close(pcm) }
            let hardware = try ALSAParameters.all(of: pcm, asked)
            defer { snd_pcm_hw_params_free(hardware) }
            sampleRates = Self.commonRates.filter {
                snd_pcm_hw_params_test_rate(pcm, hardware, CUnsignedInt($0), 0) >= 0
            }
            channelCounts = Self.channels(hardware)
            problem = nil
        } catch {
            sampleRates = []
            channelCounts = nil
            problem = error
        }
    }

    private static func channels(_ hardware: OpaquePointer) -> ClosedRange<Int>? {
        var (least, most): (CUnsignedInt, CUnsignedInt) = (0, 0)
        guard snd_pcm_hw_params_get_channels_min(hardware, &least) >= 0,
            snd_pcm_hw_params_get_channels_max(hardware, &most) >= 0, least <= most
        else { return nil }
        return Int(least)...Int(clamping: most)
    }
}

extension MicrophoneDescription {
    /// The microphones of all sound cards, in the kernel's order. Opens each for a moment.
    public static func all() -> [MicrophoneDescription] {
        calsa_quiet()
        var found: [MicrophoneDescription] = []
        var card: CInt = -1
        while snd_card_next(&card) >= 0, card >= 0 { found += microphones(of: card) }
        return found
    }

    private static func microphones(of card: CInt) -> [MicrophoneDescription] {
        var control: OpaquePointer?
        guard snd_ctl_open(&control, "hw:\(card)", CInt(SND_CTL_NONBLOCK)) >= 0, let control else { return [] }
        defer { snd_ctl_close(control) }
        var found: [MicrophoneDescription] = []
        var device: CInt = -1
        while snd_ctl_pcm_next_device(control, &device) >= 0, device >= 0 {
            guard let words = words(for: device, of: control) else { continue }
            let address = "CARD=\(words.card),DEV=\(device)"
            found.append(
                MicrophoneDescription(
                    asking: "hw:\(address)", name: "plughw:\(address)", description: words.description))
        }
        return found
    }

    /// What the driver calls a card and its device; `nil` where the device does not capture.
    private static func words(for device: CInt, of control: OpaquePointer) -> (card: String, description: String)? {
        var (pcm, card): (OpaquePointer?, OpaquePointer?)
        defer {
            snd_pcm_info_free(pcm)
            snd_ctl_card_info_free(card)
        }
        guard snd_pcm_info_malloc(&pcm) >= 0, snd_ctl_card_info_malloc(&card) >= 0 else { return nil }
        snd_pcm_info_set_device(pcm, CUnsignedInt(device))
        snd_pcm_info_set_stream(pcm, SND_PCM_STREAM_CAPTURE)
        guard snd_ctl_pcm_info(control, pcm) >= 0, snd_ctl_card_info(control, card) >= 0 else { return nil }
        let names = [snd_ctl_card_info_get_name(card), snd_pcm_info_get_name(pcm)].compactMap {
            $0.map { String(cString: $0) }
        }
        return (String(cString: snd_ctl_card_info_get_id(card)), names.joined(separator: ", "))
    }
}
