/// Watches sockets on an event loop that others may use too. Confined to the loop.
public protocol SocketWatcher {
    /// A token that no other socket of the loop has, or had.
    func nextToken() -> Token
    /// Watches a socket until ``unwatch(_:)``, which must come before the socket is closed.
    func watch(_ fd: Int32, _ interest: Interest, as token: Token) throws(SystemError)
    /// Changes the events that a watched socket is watched for.
    func change(_ fd: Int32, _ interest: Interest, of token: Token)
    /// Stops watching a socket, if it is watched.
    func unwatch(_ fd: Int32)
}
