extension STUNMessage {
    /// A connectivity check (RFC 8445, section 7.2.2).
    ///
    /// - Parameters:
    ///   - local: the credentials of this end.
    ///   - role: that of this end, with its tie-breaker.
    init(checkOf remote: ICECredentials, by local: ICECredentials, _ transaction: STUNTransaction, role: STUNAttribute)
    {
        self.init(
            .request, transaction: transaction,
            attributes: [
                .userName(Self.userName(checking: remote, by: local)), .priority(Self.reflexivePriority), role,
            ])
    }

    static func userName(checking receiver: ICECredentials, by sender: ICECredentials) -> String {
        "\(receiver.userFragment):\(sender.userFragment)"
    }

    /// The priority of a peer-reflexive candidate (RFC 8445, sections 5.1.2.1 and 7.1.1).
    private static let reflexivePriority: UInt32 = 110 << 24 | 65_535 << 8 | 255
}
