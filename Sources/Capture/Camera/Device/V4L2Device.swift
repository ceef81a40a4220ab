import CV4L2
import Codecs
import Glibc
import Media
import Streams

/// A camera behind a device node, through Video4Linux2 (https://docs.kernel.org/userspace-api/media/v4l/v4l2.html).
///
/// The driver allocates the buffers, and this process maps them. Supports the single-planar and the multi-planar API. Confined to
/// one thread.
final class V4L2Device: CaptureDevice {
    /// One buffer that is being encoded, one that is being filled, and two in reserve for a slow encoder.
    private static let bufferCount: UInt32 = 4

    let path: String
    let identity: CameraIdentity
    let fd: CInt
    private(set) var mappings: [cv4l2_mapping] = []
    /// The taken buffers by index.
    private(set) var filled: [Int: cv4l2_filled] = [:]
    /// The DMABUFs of exported buffers by index, one per memory plane.
    var exports: [Int: [DMABuffer]] = [:]
    var isMultiplanar: Bool { identity.isMultiplanar }

    private let close: (CInt) -> Void

    /// Opens the device. Other processes may have it open as well, until `configure`.
    ///
    /// - Parameter close: closes the descriptor; called exactly once for each opened one.
    init(path: String, close: @escaping (CInt) -> Void = cv4l2_close) throws(SourceFailure) {
        fd = cv4l2_open(path)
        guard fd >= 0 else { throw CameraFailure.openFailed(path, code: -fd) }
        self.path = path
        self.close = close
        var answer = cv4l2_identity()
        let status = cv4l2_identify(fd, &answer)
        identity = CameraIdentity(answer)
        // All properties are initialized, so `deinit` runs after this throw and closes the descriptor. A second close here could
        // close a descriptor that another thread has opened meanwhile.
        guard status >= 0, answer.captures, answer.streams else { throw CameraFailure.notACamera(path) }
    }

    deinit {
        _ = cv4l2_stream(fd, isMultiplanar, false)
        exports = [:]
        for mapping in mappings { withUnsafePointer(to: mapping) { cv4l2_unmap($0) } }
        _ = cv4l2_request_buffers(fd, isMultiplanar, 0)
        close(fd)
    }

    // MARK: - Offered formats

    var offers: [FormatOffer] {
        listed { index in
            var code: UInt32 = 0
            var isEmulated = false
            guard cv4l2_format(fd, isMultiplanar, index, &code, &isEmulated) >= 0 else { return nil }
            return FormatOffer(
                code: FourCharacterCode(value: code), isEmulated: isEmulated, sizes: sizes(of: code))
        }
    }

    private func sizes(of code: UInt32) -> [SizeOffer] {
        listed { index in
            var range = cv4l2_size_range()
            guard cv4l2_size(fd, code, index, &range) >= 0 else { return nil }
            let widths = SteppedRange(
                lowest: Int(range.minimumWidth), highest: Int(range.maximumWidth), step: Int(range.stepWidth))
            let heights = SteppedRange(
                lowest: Int(range.minimumHeight), highest: Int(range.maximumHeight), step: Int(range.stepHeight))
            return SizeOffer(
                widths: widths, heights: heights,
                intervals: intervals(of: code, width: range.maximumWidth, height: range.maximumHeight))
        }
    }

    private func intervals(of code: UInt32, width: UInt32, height: UInt32) -> [IntervalOffer] {
        let ranges: [cv4l2_interval_range] = listed { index in
            var range = cv4l2_interval_range()
            return cv4l2_interval(fd, code, width, height, index, &range) >= 0 ? range : nil
        }
        return ranges.compactMap { range in
            guard let shortest = FrameInterval(Int(range.shortestNumerator), Int(range.shortestDenominator)),
                let longest = FrameInterval(Int(range.longestNumerator), Int(range.longestDenominator))
            else { return nil }
            return IntervalOffer(shortest: shortest, longest: longest)
        }
    }

    /// The items that a driver enumerates by index, 256 at most.
    private func listed<Item>(_ item: (UInt32) -> Item?) -> [Item] {
        var items: [Item] = []
        while items.count < 256, let next = item(UInt32(items.count)) { items.append(next) }
        return items
    }

    // MARK: - Capturing

    func configure(_ choice: FormatChoice) throws(SourceFailure) -> (layout: FrameLayout, interval: FrameInterval) {
        var layout = cv4l2_layout()
        (layout.code, layout.width, layout.height) = (choice.code.value, UInt32(choice.width), UInt32(choice.height))
        try check(cv4l2_set_layout(fd, isMultiplanar, &layout), "use \(choice.description)")
        let code = FourCharacterCode(value: layout.code)
        guard let format = PixelFormat(code: code) else { throw CameraFailure.noFormat(path, offers.map(\.code)) }
        return (
            FrameLayout(
                code: code, format: format, width: Int(layout.width), height: Int(layout.height),
                strides: elements(layout.stride).prefix(Int(layout.planeCount)).map(Int.init),
                matrix: ColourMatrix(layout.colours, height: Int(layout.height)),
                range: ColourRange(layout.colours, of: format)),
            interval(asking: choice.interval)
        )
    }

    /// Drivers without selectable rates answer with an error; the requested interval is then assumed.
    private func interval(asking requested: FrameInterval) -> FrameInterval {
        var (numerator, denominator) = (UInt32(requested.numerator), UInt32(requested.denominator))
        guard cv4l2_set_interval(fd, isMultiplanar, &numerator, &denominator) >= 0 else { return requested }
        return FrameInterval(Int(numerator), Int(denominator)) ?? requested
    }

    func start() throws(SourceFailure) {
        let count = cv4l2_request_buffers(fd, isMultiplanar, Self.bufferCount)
        try check(count, "allocate buffers")
        guard count >= 2 else { throw SourceFailure(reason: "\(path) has no memory for frame buffers") }
        for index in 0..<UInt32(count) {
            var mapping = cv4l2_mapping()
            try check(cv4l2_map(fd, isMultiplanar, index, &mapping), "map a buffer")
            mappings.append(mapping)
            try check(cv4l2_queue(fd, isMultiplanar, index), "queue a buffer")
        }
        try check(cv4l2_stream(fd, isMultiplanar, true), "start")
    }

    func wait(milliseconds: Int) throws(SourceFailure) -> Bool {
        let status = cv4l2_wait(fd, CInt(clamping: milliseconds))
        try check(status, "deliver frames")
        return status > 0
    }

    func take() throws(SourceFailure) -> FilledBuffer? {
        var buffer = cv4l2_filled()
        let status = cv4l2_dequeue(fd, isMultiplanar, &buffer)
        if status == -EAGAIN { return nil }
        try check(status, "deliver frames")
        guard Int(buffer.index) < mappings.count else {
            throw SourceFailure(reason: "\(path) delivers an unknown buffer", remedy: "try another driver")
        }
        filled[Int(buffer.index)] = buffer
        return FilledBuffer(
            index: Int(buffer.index),
            time: buffer.isMonotonic ? MonotonicTime(nanoseconds: buffer.nanoseconds) : nil,
            isDamaged: buffer.isDamaged)
    }

    func bytes(of buffer: FilledBuffer) -> [UnsafeRawBufferPointer] {
        guard let filled = filled[buffer.index] else { return [] }
        let mapping = mappings[buffer.index]
        let (bases, lengths) = (elements(mapping.base), elements(mapping.byteCount))
        let (offsets, ends) = (elements(filled.offset), elements(filled.byteCount))
        return (0..<Int(min(filled.planeCount, mapping.planeCount))).map { plane in
            let whole = UnsafeRawBufferPointer(start: bases[plane], count: lengths[plane])
            // Limited to the mapping, even if the driver claims more bytes.
            let end = min(Int(ends[plane]), whole.count)
            return UnsafeRawBufferPointer(rebasing: whole[min(Int(offsets[plane]), end)..<end])
        }
    }

    func release(_ buffer: FilledBuffer) throws(SourceFailure) {
        filled[buffer.index] = nil
        try check(cv4l2_queue(fd, isMultiplanar, UInt32(buffer.index)), "queue a buffer")
    }

    // MARK: - Controls

    func requestKeyframe() -> Bool { cv4l2_force_key_frame(fd) >= 0 }

    var controls: [CameraControl] {
        var previous: UInt32 = 0
        return listed { _ in
            var control = cv4l2_control()
            guard cv4l2_control_after(fd, previous, &control) >= 0 else { return nil }
            previous = control.id
            return CameraControl(control, menu: menu(of: control))
        }
    }

    private func menu(of control: cv4l2_control) -> [Int64: String] {
        guard control.kind == cv4l2_control_menu.rawValue, control.minimum >= 0, control.maximum < 256,
            control.minimum <= control.maximum
        else { return [:] }
        var entries: [Int64: String] = [:]
        for index in control.minimum...control.maximum {
            var name = [CChar](repeating: 0, count: 33)
            // A menu may have gaps.
            guard cv4l2_menu_entry(fd, control.id, UInt32(index), &name) >= 0 else { continue }
            entries[index] = text(name)
        }
        return entries
    }

    func set(_ control: CameraControl, to value: Int64) throws(SourceFailure) {
        try check(cv4l2_set_control(fd, control.id, value), "set \(control.name) to \(value)")
    }

    private func check(_ status: CInt, _ what: String) throws(SourceFailure) {
        guard status < 0 else { return }
        throw CameraFailure.operationFailed(path, what, code: -status)
    }
}

extension ColourMatrix {
    /// The matrix that the driver reports, otherwise the one that players assume.
    init(_ colours: cv4l2_colours, height: Int) {
        switch cv4l2_matrix_of(colours) {
        case cv4l2_matrix_bt601: self = .bt601
        case cv4l2_matrix_bt709: self = .bt709
        default: self = .customary(height: height)
        }
    }
}

extension ColourRange {
    /// The range that the driver reports for frames in `format`, otherwise the usual range of that format.
    init(_ colours: cv4l2_colours, of format: PixelFormat) {
        let isGrey = if case .raw(.grey, _) = format { true } else { false }
        self = cv4l2_is_full_range(colours, isGrey) ? .full : .limited
    }
}

/// The elements of a C array in a structure; Swift imports such an array as a tuple.
func elements<Element>(_ array: (Element, Element, Element)) -> [Element] { [array.0, array.1, array.2] }
