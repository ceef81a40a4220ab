import Fuzzing
import SRT

/// Whatever a handshake or a URL contains, it is read or refused; what is read is within its limits, and the same after writing and
/// reading it.
@Sendable func fuzzSRTStreamIDs(_ input: [UInt8]) {
    if let id = try? SRTStreamID(parsing: input) {
        require((id.path ?? "a").isEmpty == false, "a path is not empty")
        for text in [id.path, id.user, id.password, id.query] {
            require((text ?? "").utf8.count <= SRTStreamID.maximumByteCount, "decoding makes nothing longer")
        }
        checkWritten(id)
    }
    guard let url = try? SRTURL("srt://" + String(decoding: input, as: UTF8.self)) else { return }
    require(!url.host.isEmpty && url.port > 0, "a URL has a host and a port")
    require(url.streamID.utf8.count <= SRTStreamID.maximumByteCount, "a stream id is not too long")
    if let passphrase = url.passphrase {
        require(SRTPassphrase.byteCounts.contains(passphrase.text.utf8.count), "a passphrase has a valid length")
        require(
            !"\(url)".contains(passphrase.text) || url.host.contains(passphrase.text), "a URL is shown without secrets")
    }
}

private func checkWritten(_ id: SRTStreamID) {
    // A value may contain what begins a comment of the format, but not what separates its keys.
    guard let text = id.text else { return }
    guard let again = try? SRTStreamID(parsing: Array(text.utf8)) else {
        return require(false, "what is written is read")
    }
    require(
        again.path == id.path && again.mode == id.mode && again.user == id.user && again.password == id.password,
        "a stream id is the same after writing and reading it")
}
