/// Which end of a DTLS connection begins the handshake.
public enum DTLSRole: Hashable, Sendable {
    /// Begins.
    case client
    /// Waits.
    case server

    /// Our role, by the `a=setup:` of an offer (RFC 5763, section 5; RFC 4145, section 4); `nil` if the offer holds the connection or
    /// says something else. A peer that leaves the choice begins, because it knows first when a path works.
    init?(offered setup: String?) {
        switch setup {
        case nil, "active", "actpass": self = .server
        case "passive": self = .client
        default: return nil
        }
    }

    /// The value of `a=setup:` in the answer.
    var setup: String { self == .client ? "active" : "passive" }
}
