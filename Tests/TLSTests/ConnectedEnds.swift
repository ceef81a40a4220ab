import Media
import Testing

@testable import TLS

extension ServerIdentity {
    /// One for all tests; making it takes as long as a handshake.
    static let fixture: ServerIdentity = {
        do {
            let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
            return try ServerIdentity(certificates: own.certificate, key: own.key)
        } catch {
            fatalError("no test can go on without an identity: \(error)")
        }
    }()
}

/// A server's and a client's end of a connection, joined by memory, on virtual time.
struct JoinedEnds {
    let server: TLSConnection
    let client: TLSConnection
    var heardByServer: [UInt8] = []
    var heardByClient: [UInt8] = []

    static let start = MonotonicTime(nanoseconds: 5_000_000_000)

    init(
        _ versions: ClosedRange<UnverifiedTLSClient.Version> = .tls1_2 ... .tls1_3,
        limits: TLSConnection.HandshakeLimits = .init()
    ) throws {
        server = try TLSConnection(of: .fixture, limits: limits, at: Self.start)
        client = try TLSConnection(to: UnverifiedTLSClient(versions), at: Self.start)
    }

    /// Lets both talk until neither has anything to say.
    mutating func exchange(inPiecesOf count: Int = .max) {
        while client.pass(to: server, inPiecesOf: count, &heardByServer)
            || server.pass(to: client, inPiecesOf: count, &heardByClient)
        {}
    }

    /// Both ends after their handshake.
    static func established(
        _ versions: ClosedRange<UnverifiedTLSClient.Version> = .tls1_2 ... .tls1_3
    ) throws -> JoinedEnds {
        var ends = try JoinedEnds(versions)
        ends.exchange()
        try #require(ends.server.phase == .established && ends.client.phase == .established)
        return ends
    }
}

extension TLSConnection {
    /// Takes what waits to be sent.
    func takeOutput() -> [UInt8] {
        let bytes = Array(output)
        sent(bytes.count)
        return bytes
    }

    /// Puts in bytes; gives what they said.
    @discardableResult
    func put(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var heard: [UInt8] = []
        Array(bytes).withUnsafeBytes { received($0) { heard.append(contentsOf: $0) } }
        return heard
    }

    /// Sends what waits; false where nothing did.
    fileprivate func pass(to other: TLSConnection, inPiecesOf count: Int, _ heard: inout [UInt8]) -> Bool {
        var rest = takeOutput()[...]
        guard !rest.isEmpty else { return false }
        while !rest.isEmpty {
            heard += other.put(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return true
    }
}
