import Wire

/// The client's part of the handshake: always the simple one, which OBS (librtmp), GStreamer and HaishinKit send, too. So every server
/// that accepts publishers accepts it.
struct ClientHandshake: Sendable {
    private var input: [UInt8] = []
    private var hasAnswered = false
    /// C0 and C1, to be sent at once.
    let opening: [UInt8]

    /// - Parameter random: 1 536 random bytes.
    init(random: [UInt8]) {
        precondition(random.count == Handshake.packetByteCount, "the packet needs random bytes")
        opening = [Handshake.version] + Handshake.packet(random: random)
    }

    /// More bytes have come. After `.send`, it must be called again with no bytes.
    mutating func received(_ bytes: RawSpan) throws(RTMPError) -> Handshake.Step {
        input.append(bytes)
        if !hasAnswered {
            if let version = input.first, version != Handshake.version { throw .unsupportedVersion(version) }
            guard input.count > Handshake.packetByteCount else { return .needsBytes }
            let packet = Array(input[1...Handshake.packetByteCount])
            input.removeFirst(1 + Handshake.packetByteCount)
            hasAnswered = true
            // C2 is an echo of S1.
            return .send(packet)
        }
        guard input.count >= Handshake.packetByteCount else { return .needsBytes }
        return .finished(rest: Array(input.dropFirst(Handshake.packetByteCount)))
    }
}
