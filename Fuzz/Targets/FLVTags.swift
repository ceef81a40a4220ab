import Fuzzing
import Media
import RTMP
import Wire

/// Any media messages give units that belong to announced tracks, have ascending decode times, and pass through a packager and another
/// reader unchanged.
@Sendable func fuzzFLVTags(_ input: [UInt8]) {
    var script = Script(input)
    var reader = TagReader(epoch: MonotonicTime(nanoseconds: 0))
    var state = Tracks()
    var (timestamp, arrival): (UInt32, Int64) = (0, 0)
    while !script.isAtEnd {
        let flags = script.byte()
        timestamp &+= flags & 0x10 == 0 ? UInt32(script.byte()) : UInt32(script.uint16()) << 16
        arrival += Int64(flags >> 5) * 100
        let types: [MessageType] = [.video, .audio, .dataAMF0, .aggregate]
        let payload = configured(flags, script.chunk())
        let message = Message(types[Int(flags & 3)], streamID: 1, timestamp: timestamp, payload: payload)
        reader.received(message, arrival: MonotonicTime(nanoseconds: arrival * 1_000_000))
        while let output = reader.next() { state.take(output) }
    }
}

/// The payload behind the header that the flags choose, so that the input finds configurations and frames easily.
private func configured(_ flags: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    guard flags & 0x0C != 0 else { return bytes }
    let record: [UInt8] = [1, 66, 0, 30, 0xFF, 0xE1, 0, 4, 0x67, 66, 0, 30, 1, 0, 2, 0x68, 0xCE]
    switch (flags & 3, flags & 0x0C) {
    case (0, 0x04): return [0x17, 0, 0, 0, 0] + record
    case (0, 0x08): return [0x27, 1, 0, 0, 0, 0, 0, 0, UInt8(bytes.count)] + bytes
    case (1, 0x04): return [0xAF, 0, 0x11, 0x90]
    case (1, 0x08): return [0xAF, 1] + bytes
    default: return bytes
    }
}

/// What the reader has announced.
private struct Tracks {
    private var tracks: [Track] = []
    private var last: [TrackID: Int64] = [:]
    private var packager: FLVPackager?
    private var timeline = PlayerTimeline()

    mutating func take(_ output: TagReader.Output) {
        switch output {
        case .tracks(let new):
            require(new.indices.allSatisfy { new[$0].id.index == $0 }, "tracks are numbered from 0")
            require(new.map(\.kind) == new.map(\.kind).sorted { $0 == .video && $1 == .audio }, "video comes first")
            (tracks, last) = (new, [:])
            packager = FLVPackager(tracks: new, options: [.h265, .opus])
        case .unit(let unit): take(unit)
        case .metadata, .unsupported: break
        }
    }

    private mutating func take(_ unit: AccessUnit) {
        require(tracks.indices.contains(unit.track.index), "a unit belongs to an announced track")
        require(unit.decodeTime.rate == tracks[unit.track.index].clockRate, "times have the clock of the track")
        require(last[unit.track].map { unit.decodeTime.ticks > $0 } ?? true, "decode times ascend")
        last[unit.track] = unit.decodeTime.ticks
        guard let frame = packager?.package(unit) else { return }
        require(!frame.messages.isEmpty, "a frame has messages")
        for message in frame.messages {
            let header = message.header(streamID: 1, at: timeline.timestamp(of: message))
            require(header.bytes.count == header.byteCount, "the bytes of a header were counted")
        }
    }
}
