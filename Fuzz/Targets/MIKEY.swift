import Fuzzing
import RTP
import SDP

@testable import RTSP

/// A MIKEY message is the same after writing and reading it, and not longer; its key has the length of its suite; and a key that
/// is written in a header after any URL, or in a session description, is read again.
@Sendable func fuzzMIKEY(_ input: [UInt8]) {
    do throws(MIKEYFailure) {
        try check(try MIKEYMessage(parsing: input), of: input)
    } catch {
        require(isLine("\(error)"), "a failure is one line: \(error)")
    }
    checkHeader(String(decoding: input, as: UTF8.self))
}

private func check(_ message: MIKEYMessage, of input: [UInt8]) throws(MIKEYFailure) {
    let written = message.bytes
    require(written.count <= input.count, "a written message is not longer: \(written.count) of \(input.count)")
    require((try? MIKEYMessage(parsing: written)) == message, "a message reads the same when written")
    let key = try message.masterKey()
    require(key.material.count == 16 + key.suite.saltByteCount, "a key has the length of its suite")
    checkDescription(message, (try? message.senderKey()) != nil)
    let told = MIKEYMessage(key, ssrc: 7, bundle: 1, timestamp: 2, random: [3])
    require((try? MIKEYMessage(parsing: told.bytes).masterKey()) == key, "a written key is read again")
}

/// The message as the attribute of a session description.
private func checkDescription(_ message: MIKEYMessage, _ isUsable: Bool) {
    let key = try? announcement(message.attributeValue).senderKey(ofMedium: 0)
    require((key != nil) == isUsable && (try? message.senderKey()) == key, "an announced key is that of its message")
}

/// The announcement of a medium with this key.
private func announcement(_ attribute: String) -> AnnounceRequest {
    let medium = MediaDescription(
        kind: "video", port: 0, transport: "RTP/SAVP", formats: ["96"], attributes: [Attribute("key-mgmt", attribute)])
    return AnnounceRequest(
        path: "/a", url: "rtsps://h/a", description: SessionDescription(media: [medium]), grant: .everything)
}

/// The value of a `KeyMgmt` header or of the attribute `key-mgmt`, or a URL in a header.
private func checkHeader(_ text: String) {
    do throws(Refusal) {
        _ = try announcement(text).senderKey(ofMedium: 0)
    } catch {
        require(error.status == .keyManagementFailure, "a useless message is refused with the right status")
        require(isLine(error.reason ?? ""), "a reason is one line: \(error)")
    }
    do throws(Refusal) {
        let key = try KeyManagementHeader.senderKey(in: [.keyManagement: text])
        let message = KeyManagementHeader.mikeyData(in: text).flatMap { try? MIKEYMessage(parsing: $0) }
        require(key != nil && (try? message?.senderKey()) == key, "a header's key is that of its message")
    } catch {
        require(error.status == .keyManagementFailure, "a useless message is refused with the right status")
        require(isLine(error.reason ?? ""), "a reason is one line: \(error)")
    }
    // Compares bytes, because a combining accent changes the character of a quote.
    guard !text.utf8.contains(UInt8(ascii: "\"")) else { return }
    let data: [UInt8] = [1, 0, 2, 3]
    let value = "prot=mikey; uri=\"\(text)\"; data=\"\(Base64.encode(data))\""
    require(KeyManagementHeader.mikeyData(in: value) == data, "a message is found after any URL: \(value)")
}
