import RTP
import SDP

@testable import RTSP

/// A message of MIKEY that was read is written so that it reads the same, and is no longer than it was; the key that it brings is as
/// long as its suite's, and is told so that it is understood, in a header whatever URL stands before it.
@Sendable func fuzzMIKEY(_ input: [UInt8]) {
    do throws(MIKEYFailure) {
        try check(try MIKEYMessage(parsing: input), of: input)
    } catch {
        require(isLine("\(error)"), "a failure is told in a line: \(error)")
    }
    checkHeader(String(decoding: input, as: UTF8.self))
}

private func check(_ message: MIKEYMessage, of input: [UInt8]) throws(MIKEYFailure) {
    let written = message.bytes
    require(written.count <= input.count, "what is dropped takes no room: \(written.count) of \(input.count)")
    require((try? MIKEYMessage(parsing: written)) == message, "a message reads the same when written")
    let key = try message.masterKey()
    require(key.material.count == 16 + key.suite.saltByteCount, "a key is as long as its suite's")
    let told = MIKEYMessage(key, ssrc: 7, bundle: 1, timestamp: 2, random: [3])
    require((try? MIKEYMessage(parsing: told.bytes).masterKey()) == key, "a key that is told is understood")
}

/// The value of a `KeyMgmt` header, or a URL in one.
private func checkHeader(_ text: String) {
    do throws(Refusal) {
        let key = try KeyManagementHeader.clientKey(in: [.keyManagement: text])
        let message = KeyManagementHeader.mikeyData(in: text).flatMap { try? MIKEYMessage(parsing: $0) }
        require(key != nil && (try? message?.masterKey()) == key, "a header's key is its message's")
    } catch {
        require(error.status == .keyManagementFailure, "what is of no use is refused for that")
        require(isLine(error.reason ?? ""), "a reason is a line: \(error)")
    }
    // By bytes: an accent makes another character of a quote.
    guard !text.utf8.contains(UInt8(ascii: "\"")) else { return }
    let data: [UInt8] = [1, 0, 2, 3]
    let value = "prot=mikey; uri=\"\(text)\"; data=\"\(Base64.encode(data))\""
    require(KeyManagementHeader.mikeyData(in: value) == data, "a message is found behind any URL: \(value)")
}
