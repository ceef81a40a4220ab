import Codecs
import Glibc
import Media
import Streams
import Synchronization
import TestSupport

@testable import Capture

/// A camera that replays events on virtual time, without a device and without waiting.
final class ReplayedCamera: CaptureDevice {
    /// What happens during one wait.
    enum Event {
        /// Frames are filled, each some milliseconds after the one before.
        case frames([Frame])
        /// No frame comes for this many milliseconds.
        case silence(milliseconds: Int64)
        case unplugged
        /// The test performs an action, such as stopping the source or requesting a keyframe.
        case action(() -> Void)
    }

    struct Frame {
        var planes: [[UInt8]]
        /// The frame's age when it is taken; `nil` for a driver clock that is not monotonic.
        var ageNanoseconds: Int64? = 5_000_000
        var isDamaged = false
    }

    static let interval: Int64 = 33_333_333

    let offers: [FormatOffer]
    /// With the values that have been set.
    var controls: [CameraControl] { described.map { $0.with(value: settings[$0.name] ?? $0.value) } }
    private let described: [CameraControl]
    private(set) var settings: [String: Int64] = [:]
    private(set) var keyFrameOrders = 0
    private(set) var configured: FormatChoice?
    /// The number of buffers that are not with the driver.
    private(set) var takenCount = 0 { didSet { mostTaken = max(mostTaken, takenCount) } }
    private(set) var mostTaken = 0
    /// Whether it exports its buffers. Files replace the driver's memory.
    var exportsBuffers = true
    /// The matrix of its frames.
    var range = ColourRange.limited
    /// How often export was requested.
    private(set) var exportCount = 0
    private let clock: ReplayClock
    private var events: [Event]
    private var filled: [(index: Int, frame: Frame)] = []
    private var lent: [Int: [UnsafeMutableRawBufferPointer]] = [:]
    private var exported: [Int: [ExportedPlane]] = [:]
    private var nextIndex = 0

    init(_ offers: [FormatOffer], controls: [CameraControl] = [], clock: ReplayClock, events: [Event]) {
        self.offers = offers
        described = controls
        self.clock = clock
        self.events = events
    }

    deinit { for planes in lent.values { for plane in planes { plane.deallocate() } } }

    func configure(_ choice: FormatChoice) throws(SourceFailure) -> (layout: FrameLayout, interval: FrameInterval) {
        configured = choice
        return (
            FrameLayout(
                code: choice.code, format: choice.format, width: choice.width, height: choice.height, strides: [],
                range: range),
            choice.interval
        )
    }

    func start() throws(SourceFailure) {}

    func wait(milliseconds: Int) throws(SourceFailure) -> Bool {
        if !filled.isEmpty { return true }
        guard !events.isEmpty else { throw SourceFailure(reason: "the replay has ended") }
        switch events.removeFirst() {
        case .frames(let frames):
            for frame in frames {
                filled.append((nextIndex, frame))
                nextIndex += 1
            }
            clock.advance(Self.interval)
            return true
        case .silence(let milliseconds):
            clock.advance(milliseconds * 1_000_000)
            return false
        case .unplugged: throw CameraFailure.operationFailed("/dev/replay", "deliver frames", code: 19)
        case .action(let body):
            body()
            return false
        }
    }

    func take() throws(SourceFailure) -> FilledBuffer? {
        guard !filled.isEmpty else { return nil }
        let (index, frame) = filled.removeFirst()
        takenCount += 1
        lent[index] = frame.planes.map { plane in
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, plane.count), alignment: 1)
            memory.copyBytes(from: plane)
            return UnsafeMutableRawBufferPointer(rebasing: memory[0..<plane.count])
        }
        let time = frame.ageNanoseconds.map { MonotonicTime(nanoseconds: clock.now.nanoseconds &- $0) }
        return FilledBuffer(index: index, time: time, isDamaged: frame.isDamaged)
    }

    func bytes(of buffer: FilledBuffer) -> [UnsafeRawBufferPointer] {
        (lent[buffer.index] ?? []).map(UnsafeRawBufferPointer.init)
    }

    func export(_ buffer: FilledBuffer) -> [ExportedPlane]? {
        exportCount += 1
        guard exportsBuffers, let planes = lent[buffer.index] else { return nil }
        let memory = planes.map { ExportedPlane(content: UnsafeRawBufferPointer($0), offset: 64) }
        exported[buffer.index] = memory
        return memory
    }

    func release(_ buffer: FilledBuffer) throws(SourceFailure) {
        guard let planes = lent.removeValue(forKey: buffer.index) else {
            throw SourceFailure(reason: "a buffer was released twice")
        }
        takenCount -= 1
        // Overwrites the memory, so that a read after the release is detected.
        for plane in exported.removeValue(forKey: buffer.index) ?? [] { plane.spoil() }
        for plane in planes {
            plane.initializeMemory(as: UInt8.self, repeating: 0xEE)
            plane.deallocate()
        }
    }

    func requestKeyframe() -> Bool {
        keyFrameOrders += 1
        return true
    }

    func set(_ control: CameraControl, to value: Int64) throws(SourceFailure) { settings[control.name] = value }
}

extension CameraControl {
    fileprivate func with(value: Int64) -> Self {
        Self(
            id: id, title: title, kind: kind, range: range, step: step, defaultValue: defaultValue, value: value,
            isReadOnly: isReadOnly)
    }
}

extension ExportedPlane {
    /// A file with this content after `offset` zeros.
    init(content: UnsafeRawBufferPointer, offset: Int) {
        let descriptor = anonymousFile()
        let count = pwrite(descriptor, content.baseAddress, content.count, off_t(offset))
        precondition(count == content.count, "a file takes what is written")
        self.init(memory: DMABuffer(owning: descriptor, byteCount: offset + content.count), offset: offset)
    }

    fileprivate func spoil() {
        let waste = [UInt8](repeating: 0xEE, count: memory.byteCount)
        precondition(pwrite(memory.descriptor, waste, waste.count, 0) == waste.count)
    }
}

/// A clock that advances only when the replay lets it.
final class ReplayClock: Sendable {
    private let nanoseconds = Atomic<Int64>(20_000_000_000)

    var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
    func advance(_ span: Int64) { nanoseconds.add(span, ordering: .relaxed) }
    var pace: PaceClock { PaceClock(now: { self.now }, wait: { _, stop in !stop.isSet }) }
}
