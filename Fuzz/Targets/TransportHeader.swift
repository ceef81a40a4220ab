import Fuzzing
import RTSP

/// Transport and other headers are the same after writing and reading them.
@Sendable func fuzzTransportHeader(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    for transport in Transport.list(text) {
        let written = transport.headerValue
        require(Transport.list(written) == [transport], "\(transport) reads the same when written: \(written)")
    }
    let info = RTPInfo(text)
    require(RTPInfo(info.headerValue) == info, "RTP-Info reads the same when written")
    if let session = SessionHeader(text) {
        require(SessionHeader(session.headerValue) == session, "Session reads the same when written")
    }
    let fresh = SessionHeader(SessionID(random: UInt64(input.count), 7), timeoutSeconds: 60)
    require(SessionHeader(fresh.headerValue) == fresh, "\(fresh.id) is a valid session ID")
    if let url = RequestURL(text) {
        require(url.path.utf8.first == UInt8(ascii: "/"), "a path starts with a slash")
        require(url.base.utf8.last == UInt8(ascii: "/"), "a base ends in a slash")
    }
}
