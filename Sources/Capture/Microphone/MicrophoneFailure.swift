import CALSA
import Glibc
import Streams

extension SourceFailure {
    /// Why the microphone `name` cannot be opened or read; `code` is a negative errno from ALSA.
    static func microphone(_ name: String, code: CInt) -> SourceFailure {
        switch -code {
        case ENOENT, ENODEV, ENXIO:
            SourceFailure(
                reason: "there is no microphone \(name)",
                remedy: "plug it in, or set audio.device to one that `arecord -L` lists, or to none")
        case EBUSY:
            SourceFailure(
                reason: "the microphone \(name) is busy" + holders(SoundCardHolder.all()),
                remedy: "close the program that records from it, or set audio.device to a shared device such as default"
            )
        case EACCES, EPERM:
            SourceFailure(
                reason: "no permission to use the microphone \(name)",
                remedy: "add the user to the group audio (usermod -aG audio NAME), and log in again")
        default:
            SourceFailure(
                reason: "the microphone \(name) has failed: \(String(cString: snd_strerror(code)))",
                remedy: "unplug it and plug it in again")
        }
    }

    /// The microphone `name` delivers no audio any more.
    static func microphoneWithoutData(_ name: String) -> SourceFailure {
        SourceFailure(
            reason: "the microphone \(name) has delivered no audio for two seconds",
            remedy: "unplug it and plug it in again")
    }

    /// The device `name` has no sample clock, for example ALSA's null device.
    static func microphoneFasterThanRealTime(_ name: String) -> SourceFailure {
        SourceFailure(
            reason: "\(name) delivers audio faster than real time, so it is not a microphone",
            remedy: "set audio.device to one that `arecord -L` lists, or to none")
    }

    private static func holders(_ holders: [SoundCardHolder]) -> String {
        guard !holders.isEmpty else { return "" }
        return ": " + holders.map(\.description).joined(separator: ", ")
    }
}

/// A process that records from a sound card.
struct SoundCardHolder: Hashable, Sendable, CustomStringConvertible {
    /// The card's name in `/proc/asound`: `card0`.
    let card: String
    let process: Int
    /// The process's name; empty if it cannot be read.
    let command: String

    var description: String {
        "\(command.isEmpty ? "a process" : command) (\(process)) records from \(card)"
    }

    /// All processes that record, as far as the kernel lists them.
    ///
    /// - Parameter folder: replaces `/proc` in tests.
    static func all(in folder: String = "/proc") -> [SoundCardHolder] {
        paths(matching: "\(folder)/asound/card*/pcm*c/sub*/status").compactMap { path in
            // Lines look like `owner_pid   : 1234`; if no process has the substream open, the file says `closed`.
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

    /// The contents of a small file; empty if it cannot be read.
    private static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
