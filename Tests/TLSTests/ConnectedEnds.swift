import Media
import Testing

@testable import TLS

extension ServerIdentity {
    /// One identity for all tests because making one takes as long as a handshake.
    static let fixture: ServerIdentity = {
        do {
            let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
            return try ServerIdentity(certificates: own.certificate, key: own.key)
        } catch {
            fatalError("the tests need an identity: \(error)")
        }
    }()
}

/// The server's and the client's end of a connection, connected in memory, on virtual time.
struct ConnectedEnds {
    let server: TLSConnection
    let client: TLSConnection
    var receivedByServer: [UInt8] = []
    var receivedByClient: [UInt8] = []

    static let start = MonotonicTime(nanoseconds: 5_000_000_000)

    init(
        _ versions: ClosedRange<TLSClient.Version> = .tls1_2 ... .tls1_3,
        limits: TLSConnection.HandshakeLimits = .init(), accepting certificates: TLSClient.Certificates = .any,
        at host: String? = nil, protocols: (accepted: [String], offered: [String]) = ([], [])
    ) throws {
        server = try TLSConnection(of: .fixture, accepting: protocols.accepted, limits: limits, at: Self.start)
        client = try TLSConnection(
            to: TLSClient(accepting: certificates, versions), host: host, offering: protocols.offered, at: Self.start)
    }

    /// Passes output in both directions until neither end has any.
    mutating func exchange(inPiecesOf count: Int = .max) {
        while client.send(to: server, inPiecesOf: count, &receivedByServer)
            || server.send(to: client, inPiecesOf: count, &receivedByClient)
        {}
    }

    /// Creates both ends and completes their handshake.
    static func established(
        _ versions: ClosedRange<TLSClient.Version> = .tls1_2 ... .tls1_3
    ) throws -> ConnectedEnds {
        var ends = try ConnectedEnds(versions)
        ends.exchange()
        try #require(ends.server.phase == .established && ends.client.phase == .established)
        return ends
    }
}

extension TLSConnection {
    /// Returns the output and marks it as sent.
    func takeOutput() -> [UInt8] {
        let bytes = Array(output)
        sent(bytes.count)
        return bytes
    }

    /// Passes bytes from the peer; returns the decrypted data.
    @discardableResult
    func receive(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var data: [UInt8] = []
        Array(bytes).withUnsafeBytes { received($0) { data.append(contentsOf: $0) } }
        return data
    }

    /// Passes the output to `other`; returns false if there was none.
    fileprivate func send(to other: TLSConnection, inPiecesOf count: Int, _ received: inout [UInt8]) -> Bool {
        var rest = takeOutput()[...]
        guard !rest.isEmpty else { return false }
        while !rest.isEmpty {
            received += other.receive(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return true
    }
}
