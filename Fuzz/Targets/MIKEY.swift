import RTP
import RTSP

/// A message of MIKEY that was read is written so that it reads the same, and is no longer than it was; the key that it brings is as
/// long as its suite's, and is told so that it is understood.
@Sendable func fuzzMIKEY(_ input: [UInt8]) {
    guard let message = try? MIKEYMessage(parsing: input) else { return }
    let written = message.bytes
    law(written.count <= input.count, "what is dropped takes no room: \(written.count) of \(input.count)")
    law((try? MIKEYMessage(parsing: written)) == message, "a message reads the same when written")
    guard let key = try? message.masterKey() else { return }
    law(key.material.count == 16 + key.suite.saltByteCount, "a key is as long as its suite's")
    let told = MIKEYMessage(key, ssrc: 7, bundle: 1, timestamp: 2, random: [3])
    law((try? MIKEYMessage(parsing: told.bytes).masterKey()) == key, "a key that is told is understood")
}
