import Media
import Wire

@testable import WebRTC

// Expectations take arrays, because a macro cannot take a span.

extension DatagramKind {
    init?(_ datagram: [UInt8]) {
        self.init(datagram.rawSpan)
    }
}

extension STUNMessage {
    init?(parsing datagram: [UInt8]) {
        self.init(parsing: datagram.rawSpan)
    }

    func isAuthentic(in datagram: [UInt8], key: [UInt8], authenticate: MessageAuthentication) -> Bool {
        isAuthentic(in: datagram.rawSpan, key: key, authenticate: authenticate)
    }
}

extension ICEAgent {
    mutating func received(
        _ message: STUNMessage, in datagram: [UInt8], from path: Path, at address: TransportAddress,
        transaction: STUNTransaction, at now: MonotonicTime, authenticate: MessageAuthentication
    ) -> [ICEOrder<Path>] {
        received(
            message, in: datagram.rawSpan, from: path, at: address, transaction: transaction, at: now,
            authenticate: authenticate)
    }
}

extension ICEConnector {
    mutating func received(
        _ message: STUNMessage, in datagram: [UInt8], from candidate: Int, at address: TransportAddress,
        at now: MonotonicTime, authenticate: MessageAuthentication
    ) -> [Order] {
        received(message, in: datagram.rawSpan, from: candidate, at: address, at: now, authenticate: authenticate)
    }
}
