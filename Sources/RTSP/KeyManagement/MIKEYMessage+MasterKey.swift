import RTP

// Each message carries the master key of one track, in the format of GStreamer and live555.

extension MIKEYMessage {
    /// Parameters of SRTP's policies (RFC 3830, section 6.10.1; RFC 7714, section 14.4).
    private enum Parameter: UInt8 {
        case encryption = 0
        case encryptionKeyLength = 1
        case authentication = 2
        case authenticationKeyLength = 3
        case saltLength = 4
        case pseudoRandomFunction = 5
        case derivationRate = 6
        case encryptsPackets = 7
        case encryptsReports = 8
        case authenticates = 10
        case tagLength = 11
        case aeadTagLength = 20
    }

    /// Creates a message with one key and its policy.
    ///
    /// - Parameters:
    ///   - ssrc: the SSRC of the packets that the key protects.
    ///   - timestamp: the current NTP time.
    public init(_ key: MasterKey, ssrc: UInt32, bundle: UInt32, timestamp: UInt64, random: [UInt8]) {
        self.init(
            bundle: bundle, cryptoSessions: [CryptoSession(ssrc: ssrc)], timestamp: timestamp, random: random,
            policies: [Policy(number: 0, parameters: Self.parameters(of: key.suite))],
            keys: [KeyData(kind: .encrypting, key: key.material, identifier: key.identifier)])
    }

    /// The parameters of a suite in the order and the values of live555, which accepts no others for counter mode. GStreamer
    /// ignores parameters that it does not know.
    private static func parameters(of suite: CipherSuite) -> [Policy.Parameter] {
        let parameters: [(Parameter, UInt8)] =
            switch suite {
            case .counterMode:
                [
                    (.encryption, 1), (.encryptionKeyLength, 16), (.authentication, 1), (.authenticationKeyLength, 20),
                    (.saltLength, 14), (.encryptsPackets, 1), (.encryptsReports, 1), (.authenticates, 1),
                    (.tagLength, 10),
                ]
            case .gcm:
                [
                    (.encryption, 6), (.encryptionKeyLength, 16), (.authentication, 0), (.authenticationKeyLength, 0),
                    (.saltLength, 12), (.encryptsPackets, 1), (.encryptsReports, 1), (.authenticates, 1),
                    (.aeadTagLength, 16),
                ]
            }
        return parameters.map { Policy.Parameter(type: $0.rawValue, value: [$1]) }
    }

    /// The first key, for the cipher suite of the first crypto session's policy.
    public func masterKey() throws(MIKEYFailure) -> MasterKey {
        let policy = policies.first { $0.number == cryptoSessions.first?.policy } ?? policies.first
        let suite = try Self.suite(of: policy?.parameters ?? [])
        guard let data = keys.first, data.kind == .encrypting,
            let key = MasterKey(suite, material: data.key + data.salt, identifier: data.identifier)
        else { throw .noKey }
        return key
    }

    /// The first key, and the rollover counters of the crypto sessions.
    func senderKey() throws(MIKEYFailure) -> SenderKey {
        let counters = cryptoSessions.filter { $0.rolloverCounter > 0 }.map { (SSRC($0.ssrc), $0.rolloverCounter) }
        return SenderKey(try masterKey(), rolloverCounters: Dictionary(counters) { _, last in last })
    }

    /// The cipher suite of a policy; AES-CM with HMAC-SHA1 by default.
    private static func suite(of parameters: [Policy.Parameter]) throws(MIKEYFailure) -> CipherSuite {
        let isGCM = parameters.last { $0.type == Parameter.encryption.rawValue }?.value == [6]
        let suite: CipherSuite = isGCM ? .gcm : .counterMode
        for parameter in parameters {
            guard let type = Parameter(rawValue: parameter.type) else { continue }
            guard served(type, with: suite).contains(where: { parameter.value == [$0] }) else {
                throw .unservedPolicy(parameter: parameter.type, value: parameter.value)
            }
        }
        return suite
    }

    /// The supported values of a parameter.
    private static func served(_ parameter: Parameter, with suite: CipherSuite) -> [UInt8] {
        switch (parameter, suite) {
        case (.encryption, .counterMode): [1]
        case (.encryption, .gcm): [6]
        case (.encryptionKeyLength, _): [UInt8(CipherSuite.keyByteCount)]
        case (.authentication, .counterMode): [1]
        case (.authentication, .gcm): [0]
        // GStreamer writes the length of the tag here.
        case (.authenticationKeyLength, .counterMode): [20, 10]
        case (.authenticationKeyLength, .gcm): [0]
        case (.saltLength, _): [UInt8(suite.saltByteCount)]
        case (.pseudoRandomFunction, _), (.derivationRate, _): [0]
        case (.encryptsPackets, _), (.encryptsReports, _): [1]
        // The authentication of GCM cannot be turned off.
        case (.authenticates, .counterMode): [1]
        case (.authenticates, .gcm): [0, 1]
        case (.tagLength, .counterMode): [10]
        case (.tagLength, .gcm), (.aeadTagLength, _): [16]
        }
    }
}
