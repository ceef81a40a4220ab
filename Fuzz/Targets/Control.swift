import FoundationEssentials
import Fuzzing

@testable import Server

/// Input of the control socket: a request is the same after writing and reading it; assignments yield a path with valid options,
/// or are refused with whole lines.
///
/// Input: JSON if it begins with a brace, otherwise one assignment per line.
@Sendable func fuzzControl(_ input: [UInt8]) {
    guard input.first == UInt8(ascii: "{") else { return checkAssignments(String(decoding: input, as: UTF8.self)) }
    // An invalid request is answered with an error.
    guard let request = try? JSONDecoder().decode(ControlRequest.self, from: Data(input)) else { return }
    guard let written = try? JSONEncoder().encode(request) else { return require(false, "a request can be written") }
    require(
        (try? JSONDecoder().decode(ControlRequest.self, from: written)) == request,
        "a request reads the same when written")
    if case .set(let path, let assignments) = request, path == "cam" {
        checkAssignments(assignments.joined(separator: "\n"))
    }
}

private func checkAssignments(_ text: String) {
    let assignments = text.split(separator: "\n").prefix(16).map(String.init)
    let before = Configuration()
    do throws(SettingFailure) {
        let after = try before.setting(assignments, of: "cam")
        guard let path = after.servedPaths["cam"] else { return require(false, "a path stays") }
        require(path.video.width > 0 && path.video.height > 0 && path.video.gopFrames >= 1, "the frame size is valid")
        require(path.audio.bitrate > 0 && path.audio.channels > 0, "audio has channels")
        require(isLine(path.title) && isLine(path.description), "titles are one line each")
        let again = try after.setting(assignments, of: "cam")
        require(again == after, "repeating a setting changes nothing")
    } catch {
        require(!error.reasons.isEmpty, "a refusal has a reason")
        require(error.reasons.allSatisfy(isLine), "reasons are one line each")
    }
}
