import Wire

/// The server's part of the handshake.
///
/// If the client's first packet has a version and a valid digest, the answer has digests, too. Otherwise it is the simple answer, in which
/// S2 repeats C1. FFmpeg, VLC, OBS (librtmp), GStreamer, HaishinKit and Larix accept either: FFmpeg sends a digest, but checks an answer
/// only if the version in S1 is 3 or more, which the simple answer does not say. Only Flash Player, and encoders made for it, need digests:
/// it plays no H.264 without them. RTMPE (version 6) is not supported.
///
/// ```
/// client: C0 C1 ──▶ server: S0 S1 S2 ──▶ client: C2 ──▶ chunks in both directions
/// ```
struct ServerHandshake: Sendable {
    private let random: [UInt8]
    private let authenticationCode: @Sendable () -> AuthenticationCode?
    private var input: [UInt8] = []
    private var hasAnswered = false

    /// - Parameters:
    ///   - random: 3 072 random bytes.
    ///   - authenticationCode: gives HMAC-SHA-256, for digests; `nil` for a simple answer. It is called if the client may have one.
    init(random: [UInt8], authenticationCode: @escaping @Sendable () -> AuthenticationCode?) {
        precondition(random.count == 2 * Handshake.packetByteCount, "each of two packets needs random bytes")
        self.random = random
        self.authenticationCode = authenticationCode
    }

    /// More bytes have come. After `.send`, it must be called again with no bytes.
    mutating func received(_ bytes: RawSpan) throws(RTMPError) -> Handshake.Step {
        input.append(bytes)
        if let version = input.first, !hasAnswered, version != Handshake.version {
            throw .unsupportedVersion(version)
        }
        if !hasAnswered {
            guard input.count > Handshake.packetByteCount else { return .needsBytes }
            let packet = Array(input[1...Handshake.packetByteCount])
            input.removeFirst(1 + Handshake.packetByteCount)
            hasAnswered = true
            return .send([Handshake.version] + answer(to: packet))
        }
        // What C2 contains does not matter: some clients echo nothing.
        guard input.count >= Handshake.packetByteCount else { return .needsBytes }
        return .finished(rest: Array(input.dropFirst(Handshake.packetByteCount)))
    }

    /// S1 and S2.
    private func answer(to packet: [UInt8]) -> [UInt8] {
        var first = Handshake.packet(random: random)
        // A client without digests sends four zeros here (Adobe's specification, section 5.2.3); then nothing is computed.
        guard packet[4..<8] != [0, 0, 0, 0], let digest = authenticationCode().map(HandshakeDigest.init),
            let found = digest.find(in: packet)
        else { return first + packet }
        // The version of a server that knows digests, as SRS sends it.
        first.replaceSubrange(4..<8, with: [4, 5, 0, 1])
        digest.sign(&first, found.layout)
        let second = Array(random.suffix(Handshake.packetByteCount))
        return first + digest.answer(to: found.digest, random: second)
    }
}
