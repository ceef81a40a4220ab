import RTSP
import SDP

/// What the server does for clients on networks that lose packets.
public struct NetworkOptions: Hashable, Sendable {
    /// Whether lost packets are sent again to clients that ask for them.
    public var retransmits = true
    /// Whether packets are sent twice to clients that cannot ask for lost ones, while they lose some.
    public var duplicates = true
    /// The addresses of clients that are sent packets twice from the start.
    public var duplicatedAddresses: [AddressBlock] = []
    /// Whether clients that received badly over UDP are referred to TCP.
    public var fallsToTCP = true
    /// Whether all clients move between renditions, also those that are not known to survive it.
    public var movesAllClients = false

    public init() {}

    /// What the description offers a client.
    ///
    /// - Parameters:
    ///   - isProtected: whether the tracks use SRTP, which libavformat does not support with the keys that are offered.
    ///   - measuresPaths: whether it is estimated what viewers can receive.
    func feedback(for dialect: ClientDialect, isProtected: Bool, measuresPaths: Bool) -> ReceiverFeedback {
        guard retransmits else { return .none }
        return switch dialect.repair {
        case .none, .copies: .none
        case .retransmission, .repeatedRetransmission: isProtected ? .none : .retransmission
        case .retransmissionStream: .retransmissionStream(measuresTransport: measuresPaths)
        }
    }
}
