import Media
import Wire

/// One access unit as a fragment, made once for all clients. Immutable.
public struct MP4Fragment<Storage: FragmentStorage>: PackagedUnit {
    /// The init segment that a client needs before it.
    public let head: InitSegment?
    public let track: TrackID
    public let kind: Codec.Kind
    /// When the unit is presented, on the stream's clock.
    public let presentationTime: MediaTime
    /// When the fragment's first sample is decoded, on the stream's clock: after a pause, earlier than the stream says.
    public let decodeTime: MediaTime
    /// When the stream says that it is decoded.
    public let streamDecodeTime: MediaTime
    /// The wall-clock time at which the unit was captured; `nil` if unknown.
    public let captured: NTPTime?
    public let isKeyframe: Bool
    /// The boxes, and the payload behind them. Their times count from ten seconds before the stream's epoch; ``ClientTimeline`` gives
    /// those of one client.
    public let bytes: Storage
    public let byteCount: Int
    /// Bytes before the payload: `prft` if there is one, `moof`, and the header of `mdat`.
    public let boxesByteCount: Int
    /// Bytes of `prft`, with which the fragment begins if the capture time is known; otherwise 0. A client can do without it.
    public let captureTimeByteCount: Int

    public var part: AccessUnit.Part { .whole }

    init(_ fragment: Fragment, head: InitSegment) {
        let first = fragment.first[0]
        self.head = head
        (track, kind) = (fragment.first.track.id, fragment.first.track.isVideo ? .video : .audio)
        presentationTime = first.unit.presentationTime
        decodeTime = fragment.first.decodeTime
        (streamDecodeTime, captured) = (first.unit.decodeTime, first.unit.captured)
        isKeyframe = first.isSync
        byteCount = fragment.byteCount
        boxesByteCount = fragment.boxesByteCount
        captureTimeByteCount = fragment.reference == nil ? 0 : ProducerReferenceTime.byteCount
        bytes = Storage(byteCount: byteCount) { fragment.write(to: &$0) }
    }
}

extension MP4Fragment {
    /// Where the fields that differ per client stand in a fragment of one track, counted from `moof`.
    private enum Offset {
        /// sequence_number of `mfhd`.
        static var sequenceNumber: Int { 8 + 12 }
        /// baseMediaDecodeTime of `tfdt`.
        static var decodeTime: Int { 8 + 16 + 8 + 16 + 12 }
        /// sample_composition_time_offset of a video's first sample, behind its duration, size and flags.
        static var compositionOffset: Int { 8 + 16 + 8 + 16 + 20 + 20 + 12 }
    }

    /// Bytes that `writeBoxes` writes.
    public func boxesByteCount(includesCaptureTime: Bool) -> Int {
        boxesByteCount - (includesCaptureTime ? 0 : captureTimeByteCount)
    }

    /// Writes the boxes with the values of one client. They differ from the shared ones in sequence number and decode time, in the
    /// media time of `prft`, and, if the frame is moved, in its composition offset.
    ///
    /// - Parameter includesCaptureTime: whether `prft` is written, if there is one.
    @_lifetime(output: copy output)
    public func writeBoxes(
        with fields: ClientTimeline.Fields, includesCaptureTime: Bool, to output: inout OutputRawSpan
    ) {
        let boxes = bytes.rawSpan
        let start = captureTimeByteCount
        if start > 0, includesCaptureTime { writeCaptureTime(with: fields, to: &output) }
        output.append(boxes.extracting(start..<(start + Offset.sequenceNumber)))
        output.append(uint32: fields.sequenceNumber)
        output.append(boxes.extracting((start + Offset.sequenceNumber + 4)..<(start + Offset.decodeTime)))
        output.append(uint64: fields.decodeTime)
        var rest = (start + Offset.decodeTime + 8)..<boxesByteCount
        if kind == .video, fields.presentationShift != 0 {
            output.append(boxes.extracting(rest.lowerBound..<(start + Offset.compositionOffset)))
            output.append(uint32: UInt32(bitPattern: Int32(clamping: presentationOffset(with: fields))))
            rest = (start + Offset.compositionOffset + 4)..<boxesByteCount
        }
        output.append(boxes.extracting(rest))
    }

    @_lifetime(output: copy output)
    private func writeCaptureTime(with fields: ClientTimeline.Fields, to output: inout OutputRawSpan) {
        output.append(bytes.rawSpan.extracting(0..<ProducerReferenceTime.mediaTimeOffset))
        output.append(uint64: fields.decodeTime &+ UInt64(bitPattern: presentationOffset(with: fields)))
    }

    /// Ticks from the decode time to the presentation time of the first sample, as the client gets them.
    private func presentationOffset(with fields: ClientTimeline.Fields) -> Int64 {
        let offset = presentationTime.ticks &- decodeTime.ticks
        return kind == .video ? offset &+ Int64(fields.presentationShift) : offset
    }
}
