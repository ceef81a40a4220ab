import CALSA
import Glibc
import Streams

extension SourceFailure {
    /// Why the microphone `name` cannot be opened or read; `code` is ALSA's, a negative errno.
    static func microphone(_ name: String, code: CInt) -> SourceFailure {
        switch -code {
        case ENOENT, ENODEV, ENXIO:
            SourceFailure(
                reason: "there is no microphone \(name)",
                remedy: "plug it in, or set audio.device to one that `arecord -L` lists, or to none")
        case EBUSY:
            SourceFailure(
                reason: "the microphone \(name) is busy" + holders(SoundCardHolder.all()),
                remedy: "end what records from it, or set audio.device to a shared one, as default")
        case EACCES, EPERM:
            SourceFailure(
                reason: "no right to use the microphone \(name)",
                remedy: "add the user to the group audio (usermod -aG audio NAME), and log in again")
        default:
            SourceFailure(
                reason: "the microphone \(name) fails: \(String(cString: snd_strerror(code)))",
                remedy: "unplug it and plug it in again")
        }
    }

    /// Nothing comes from the microphone `name` any more.
    static func microphoneWithoutData(_ name: String) -> SourceFailure {
        SourceFailure(
            reason: "the microphone \(name) has delivered nothing for two seconds",
            remedy: "unplug it and plug it in again")
    }

    /// The device `name` does not keep to any clock: ALSA's null device, say.
    static func microphoneFasterThanRealTime(_ name: String) -> SourceFailure {
        SourceFailure(
            reason: "\(name) delivers sound faster than time passes, so it is no microphone",
            remedy: "set audio.device to one that `arecord -L` lists, or to none")
    }

    private static func holders(_ holders: [SoundCardHolder]) -> String {
        guard !holders.isEmpty else { return "" }
        return ": " + holders.map(\.description).joined(separator: ", ")
    }
}

/// A process that records from a sound card.
struct SoundCardHolder: Hashable, Sendable, CustomStringConvertible {
    /// As in `/proc/asound`: `card0`.
    let card: String
    let process: Int
    /// Its name; empty where that cannot be read.
    let command: String

    var description: String {
        "\(command.isEmpty ? "a process" : command) (\(process)) records from \(card)"
    }

    /// All of them, as far as the kernel tells.
    ///
    /// - Parameter folder: for tests.
    static func all(in folder: String = "/proc") -> [SoundCardHolder] {
        paths(matching: "\(folder)/asound/card*/pcm*c/sub*/status").compactMap { path in
            // Lines as `owner_pid   : 1234`; a substream that nobody has open says `closed`.
            let line = text(of: path).split(separator: "\n").first { $0.hasPrefix("owner_pid") }
            let number = line?.split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
            guard let number, let card = path.split(separator: "/").first(where: { $0.hasPrefix("card") }) else {
                return nil
            }
            let command = text(of: "\(folder)/\(number)/comm").filter { !$0.isNewline }
            return SoundCardHolder(card: String(card), process: number, command: command)
        }
    }

    private static func paths(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// What a small file holds; empty where it cannot be read.
    private static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
