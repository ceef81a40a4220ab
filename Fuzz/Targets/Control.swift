import FoundationEssentials

@testable import Server

/// What comes through the control socket: a line that is a request is written so that it reads the same; assignments leave a path whose
/// options are in their ranges, or are refused in whole lines.
///
/// Input: JSON where it begins with a brace, else an assignment on each line.
@Sendable func fuzzControl(_ input: [UInt8]) {
    guard input.first == UInt8(ascii: "{") else { return checkAssignments(String(decoding: input, as: UTF8.self)) }
    // What is no request is answered so.
    guard let request = try? JSONDecoder().decode(ControlRequest.self, from: Data(input)) else { return }
    guard let written = try? JSONEncoder().encode(request) else { return require(false, "a request can be written") }
    require(
        (try? JSONDecoder().decode(ControlRequest.self, from: written)) == request, "it reads the same when written")
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
        require(path.video.width > 0 && path.video.height > 0 && path.video.gopFrames >= 1, "pictures have a size")
        require(path.audio.bitrate > 0 && path.audio.channels > 0, "sound has channels")
        require(isLine(path.title) && isLine(path.description), "titles are lines")
        let again = try after.setting(assignments, of: "cam")
        require(again == after, "what is set once more changes nothing")
    } catch {
        require(!error.reasons.isEmpty, "a refusal has a reason")
        require(error.reasons.allSatisfy(isLine), "reasons are lines")
    }
}
