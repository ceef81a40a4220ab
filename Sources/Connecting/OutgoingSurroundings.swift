import Delivery
import Reactor

/// What a connection to a server uses of the service that hosts it. Confined to the loop.
public struct OutgoingSurroundings {
    public let place: LoopPlace
    /// A token for the socket with this number. The connection is number 0.
    public let newToken: (_ socket: Int) -> Token
    /// The socket of this token is closed.
    public let forget: (Token) -> Void
    /// Makes the service settle the session at the end of the turn.
    public let touch: () -> Void

    public init(
        place: LoopPlace, newToken: @escaping (_ socket: Int) -> Token, forget: @escaping (Token) -> Void,
        touch: @escaping () -> Void
    ) {
        (self.place, self.newToken, self.forget, self.touch) = (place, newToken, forget, touch)
    }
}
