import Fuzzing
import Wire

@testable import RTSP

/// A client answers a server's challenges if it can, in one line that a server understands, and never the same challenge twice.
///
/// Input: lines, each the value of a `WWW-Authenticate` header; an empty line ends a response.
@Sendable func fuzzChallenge(_ input: [UInt8]) {
    guard let information = RequestURL("rtsp://ann%22:se%5Csame@h/cam")?.userInformation else {
        return require(false, "a URL with a user can be read")
    }
    var login = ClientLogin(information, hashes: .folding) { 0x0123_4567_89AB_CDEF }
    for values in input.split(separator: 0x0A, omittingEmptySubsequences: false).split(whereSeparator: \.isEmpty)
        .prefix(16)
    {
        guard let response = response(asking: values) else { continue }
        guard login.handleChallenge(in: response) else { continue }
        check(login.authorization(for: .describe, "rtsp://h/cam"), of: information)
        require(!login.handleChallenge(in: response), "an answered challenge is not answered again")
    }
}

/// A 401 as received from the network; `nil` if these are not valid header values.
private func response(asking values: ArraySlice<ArraySlice<UInt8>>) -> Response? {
    var parser = Parser()
    var bytes = [UInt8]("RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\n".utf8)
    for value in values { bytes += [UInt8]("WWW-Authenticate: ".utf8) + value + [0x0D, 0x0A] }
    parser.append((bytes + [0x0D, 0x0A]).rawSpan)
    // A client does not answer a challenge that it cannot read.
    guard case .response(let response)? = try? parser.next() else { return nil }
    return response
}

private func check(_ answer: String?, of information: UserInformation) {
    guard let answer else { return require(false, "a client that knows the password answers") }
    require(answer.utf8.allSatisfy { !$0.isForbiddenControl }, "an answer is one line: \(answer)")
    switch Authorization(answer) {
    case .digest(let credentials)?:
        require(
            credentials.user == information.user && credentials.uri == "rtsp://h/cam",
            "credentials name the user and the URI")
    case .basic(let told)?: require(told == information, "Basic credentials name the user")
    case nil: require(false, "a server can read the credentials: \(answer)")
    }
}
