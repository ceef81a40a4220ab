/// Wakes an event loop, so that streams do not depend on the loop's type.
public protocol Waker: AnyObject, Sendable {
    /// Makes the loop check its feeds soon. Thread-safe; cheap if called often.
    func wake()
}
