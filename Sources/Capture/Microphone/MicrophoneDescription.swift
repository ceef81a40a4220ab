import CALSA
import Codecs
import Glibc
import Streams

/// A microphone of this host, for display and for JSON.
public struct MicrophoneDescription: Equatable, Sendable {
    /// The name, as in the configuration key `audio.device`: `plughw:CARD=Device,DEV=0`.
    public let name: String
    /// The names of the card and of the device: `USB Audio Device, USB Audio`.
    public let description: String
    /// The common sample rates that it supports, in Hz, ascending; empty if the device could not be opened.
    public let sampleRates: [Int]
    /// The numbers of channels that it supports; `nil` if the device could not be opened.
    public let channelCounts: ClosedRange<Int>?
    /// Why the device could not be opened, for example because it is busy; `nil` otherwise.
    public let problem: SourceFailure?

    private static let commonRates = [
        8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000,
    ]

    /// Opens the device that ALSA calls `asked` and queries it.
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

    /// The names of a card and its device; `nil` if the device does not capture.
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
