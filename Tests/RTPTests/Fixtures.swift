import Media
import RTP
import TestSupport
import Wire

/// NAL units of the given types and lengths with random bodies.
func randomNALUnits(_ shape: [(type: UInt8, byteCount: Int)], using random: inout SplitMix64) -> [[UInt8]] {
    shape.map { type, byteCount in
        let importance = UInt8.random(in: 0...3, using: &random) << 5
        return [importance | type] + random.bytes(byteCount - 1)
    }
}

/// An access unit of `units`, back to back.
func accessUnit(
    _ units: [[UInt8]], track: Int = 0, part: AccessUnit.Part = .whole, ticks: Int64 = 3000,
    isKeyframe: Bool = false
) -> AccessUnit {
    var bytes: [UInt8] = []
    var ranges: [Range<Int>] = []
    for unit in units {
        ranges.append(bytes.count..<(bytes.count + unit.count))
        bytes += unit
    }
    let time = MediaTime(ticks: ticks, rate: .video)
    return AccessUnit(
        track: TrackID(track), presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, part: part,
        bytes: bytes, units: ranges)
}

/// One video track (0) and one audio track (1).
let tracks: [Track] = {
    guard let sets = H264.ParameterSets(sequence: [[0x67, 66, 0, 30]], picture: [[0x68, 0xCE]]) else {
        preconditionFailure("these are parameter sets")
    }
    let config = AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)
    return [
        Track(id: TrackID(0), clockRate: .video, format: .h264(sets)),
        Track(id: TrackID(1), clockRate: .audio48k, format: .aac(config)),
    ]
}()

/// A packager of these tracks.
func packager(maximumPacketBytes: Int = 1400) -> RTPPackager {
    RTPPackager(tracks: tracks, options: .init(maximumPacketBytes: maximumPacketBytes))
}

extension PacketRun {
    /// The payloads, copied.
    var payloads: [[UInt8]] { packets.map { [UInt8](payload(of: $0)) } }

    /// The packets as a viewer sends them: header and payload together.
    func datagrams(_ rewriter: inout HeaderRewriter) -> [[UInt8]] {
        defer { rewriter.advance(by: packets.count) }
        let headers = rewriter.headers(of: self, ticks: presentationTime.rtpTicks)
        return packets.indices.map { headers.bytes(ofPacket: $0, isMarked: packets[$0].isMarked) + payloads[$0] }
    }
}

extension HeaderRewriter.Headers {
    /// One header, written to an odd address, because any alignment is allowed.
    func bytes(ofPacket index: Int, isMarked: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xFF, count: 1 + byteCount)
        bytes.withUnsafeMutableBytes { memory in
            guard let start = memory.baseAddress else { return }
            write(ofPacket: index, isMarked: isMarked, to: start + 1)
        }
        return Array(bytes.dropFirst())
    }
}

extension HeaderRewriter {
    static func forTests(firstSequenceNumber: UInt16 = 65_530, extensions: HeaderExtensionLayout = .none)
        -> HeaderRewriter
    {
        HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 96), ssrc: SSRC(0xDEAD_BEEF),
            firstSequenceNumber: SequenceNumber(firstSequenceNumber), timestampOffset: 0xFFFF_FF00,
            extensions: extensions)
    }
}

extension H264Depacketizer {
    mutating func push(datagram: [UInt8]) {
        guard let (header, payload) = Header.parse(datagram.rawSpan) else { return }
        push(datagram.rawSpan.extracting(payload), header: header)
    }
}

extension AACDepacketizer {
    mutating func push(datagram: [UInt8]) {
        guard let (header, payload) = Header.parse(datagram.rawSpan) else { return }
        push(datagram.rawSpan.extracting(payload), header: header)
    }
}

extension ReceivedUnit {
    var contents: [[UInt8]] { units.map { [UInt8](bytes[$0]) } }
}

extension Header {
    /// Parses an array: the test macros cannot hold a span.
    static func parse(_ packet: [UInt8]) -> (header: Header, payload: Range<Int>)? {
        parse(packet.rawSpan)
    }
}

extension Compound {
    /// Parses an array: the test macros cannot hold a span.
    init(parsing datagram: [UInt8]) throws(ParseError) {
        try self.init(parsing: datagram.rawSpan)
    }
}

/// The next unit; the test macros cannot call mutating functions.
func take(_ depacketizer: inout H264Depacketizer) -> ReceivedUnit? { depacketizer.next() }

/// The next unit; the test macros cannot call mutating functions.
func take(_ depacketizer: inout AACDepacketizer) -> ReceivedUnit? { depacketizer.next() }
