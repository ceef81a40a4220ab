import Fuzzing
import WebRTC

/// A fragment has a bounded number of candidates, whatever its line ends are; a session answers each request with a status of its table.
@Sendable func fuzzFragments(_ input: [UInt8]) {
    let fragment = try? TrickleFragment(parsing: input)
    if let fragment {
        require(fragment.candidates.count <= 64, "the number of candidates is bounded")
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        let other = Array(lines.map { $0.last == 0x0D ? $0.dropLast() : $0 }.joined(separator: [0x0D, 0x0A]))
        if other.count <= TrickleFragment.byteLimit, !input.contains(where: { $0 == 0x0D }) {
            require((try? TrickleFragment(parsing: other)) == fragment, "line ends do not matter")
        }
    }
    guard let remote = ICECredentials(userFragment: "abcd", password: "0123456789012345678901") else { return }
    let session = SignallingSession(entityTag: "tag", remote: remote)
    for tag in ["\"tag\"", String(decoding: input, as: UTF8.self)] {
        let request = SignallingRequest(
            method: "PATCH", contentType: "application/trickle-ice-sdpfrag", ifMatch: tag, body: input)
        guard case .respond(let response) = session.received(request) else {
            return require(false, "candidates do not end a session")
        }
        require([204, 400, 412, 413, 422].contains(response.status), "the status is in the table")
        require(response.status != 204 || fragment != nil, "only fragments are taken")
    }
}
