import Media

/// Watches the input of one run of a pipe until its first picture, for what the user should be told. A pure value.
struct PipeStartupCheck {
    enum Notice: Hashable {
        /// Nothing has come yet: there may be no writer.
        case isWaiting
        /// Input comes, but no picture that can be shown.
        case hasNoPicture
    }

    /// After so long without a byte the log says that the source waits: writers such as ffmpeg take half a second to start.
    static let waitingNanoseconds: Int64 = 1_000_000_000
    /// After so much time with input the log says that no picture has come: a keyframe comes each second or two.
    static let pictureNanoseconds: Int64 = 5_000_000_000

    private let start: MonotonicTime
    private var firstByte: MonotonicTime?
    private var head: [UInt8] = []
    private var told: Set<Notice> = []
    /// What the first bytes are; `nil` if they may be H.264.
    private(set) var format: UnsupportedFormat?

    init(at start: MonotonicTime) {
        self.start = start
    }

    /// Whether any input has come.
    var hasInput: Bool { firstByte != nil }

    mutating func received(_ bytes: [UInt8], at now: MonotonicTime) {
        firstByte = firstByte ?? now
        guard head.count < UnsupportedFormat.sufficientByteCount else { return }
        head += bytes.prefix(UnsupportedFormat.sufficientByteCount - head.count)
        format = UnsupportedFormat(beginning: head)
    }

    /// What is to be told now; each notice comes once.
    mutating func notice(at now: MonotonicTime) -> Notice? {
        let isLate = firstByte.map { now - $0 >= Self.pictureNanoseconds } ?? (now - start >= Self.waitingNanoseconds)
        let notice: Notice = hasInput ? .hasNoPicture : .isWaiting
        return isLate && told.insert(notice).inserted ? notice : nil
    }
}
