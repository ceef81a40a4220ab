/// What wakes an event loop: the seam by which streams reach loops without knowing them.
public protocol Waker: AnyObject, Sendable {
    /// Makes the loop look at its feeds soon. From any thread; cheap when called often.
    func wake()
}
