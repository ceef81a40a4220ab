/// What a client's session asks for.
public enum ClientOrder: Sendable {
    /// Send these bytes.
    case send([UInt8])
    /// The server accepts what the client publishes, or begins to send what it plays.
    case started
    /// Audio, video or data of the stream that the client plays.
    case media(Message)
    /// Close the connection, and open another with this login.
    case reconnect(ClientLogin)
    /// Send what was ordered, and close the connection.
    case close(CloseReason)

    /// Why a session ends, for the log.
    public enum CloseReason: Hashable, Sendable, CustomStringConvertible {
        /// The server sent something that is not RTMP.
        case protocolError(RTMPError)
        /// The server refuses what the client wants.
        case refused(Status)
        /// The server wants a user and a password, and there are none, or wrong ones.
        case unauthorised
        /// The server has ended the stream.
        case ended(Status)

        public var description: String {
            switch self {
            case .protocolError(let error): "invalid RTMP from the server: \(error)"
            case .refused(let status): "the server refused: \(Self.text(status))"
            case .unauthorised: "the server did not accept user and password"
            case .ended(let status): "the server ended the stream: \(Self.text(status))"
            }
        }

        private static func text(_ status: Status) -> String {
            status.description.isEmpty ? status.code.rawValue : "\(status.description) (\(status.code.rawValue))"
        }

        /// The most Unicode scalars that are kept of what a server says. A character has any number of them.
        private static let maximumLength = 200

        private static func beginning(of text: String, _ count: Int) -> String {
            String(text.unicodeScalars.prefix(count))
        }

        /// The same with little of what the server says, and without the name of the stream that is published, which may be as secret as a
        /// password, and which some servers repeat.
        func shortened(hiding streamName: String?) -> Self {
            let names = [streamName, streamName.map { String($0.prefix { $0 != "?" }) }]
                .compactMap(\.self).filter { $0.count > 1 }
            func hidden(_ status: Status) -> Status {
                let text = names.reduce(Self.beginning(of: status.description, 4 * Self.maximumLength)) {
                    $0.replacing($1, with: "…")
                }
                return Status(
                    status.level, StatusCode(rawValue: Self.beginning(of: status.code.rawValue, Self.maximumLength)),
                    Self.beginning(of: text, Self.maximumLength))
            }
            return switch self {
            case .refused(let status): .refused(hidden(status))
            case .ended(let status): .ended(hidden(status))
            case .protocolError, .unauthorised: self
            }
        }
    }
}
