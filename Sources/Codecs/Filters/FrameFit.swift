/// What to do if the frame's aspect ratio differs from the target's.
public enum FrameFit: String, Hashable, Sendable {
    /// Fill the target and distort the frame.
    case fill
    /// Show the whole frame between black bars.
    case letterbox
    /// Fill the target and cut off equal parts at two opposite sides.
    case crop
}
