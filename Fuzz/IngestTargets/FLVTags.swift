import Fuzzing
import Media
import RTMP
import Wire

/// Any media messages, also of several tracks, give streams whose units belong to announced tracks, have ascending decode times, and pass
/// through a packager.
@Sendable func fuzzFLVTags(_ input: [UInt8]) {
    var script = Script(input)
    var reader = TagReader(epoch: MonotonicTime(nanoseconds: 0))
    var streams: [TrackNumber: Tracks] = [:]
    var (timestamp, arrival): (UInt32, Int64) = (0, 0)
    while !script.isAtEnd {
        let flags = script.byte()
        timestamp &+= flags & 0x10 == 0 ? UInt32(script.byte()) : UInt32(script.uint16()) << 16
        arrival += Int64(flags >> 5) * 100
        let types: [MessageType] = [.video, .audio, .dataAMF0, .aggregate]
        let payload = configured(flags, script.chunk())
        let message = Message(types[Int(flags & 3)], streamID: 1, timestamp: timestamp, payload: payload)
        reader.received(message, arrival: MonotonicTime(nanoseconds: arrival * 1_000_000))
        while let output = reader.next() {
            switch output {
            case .tracks(let tracks, of: let number):
                require(streams.count < maximumStreamCount || streams[number] != nil, "the streams are bounded")
                streams[number, default: Tracks()].take(tracks)
            case .unit(let unit, of: let number):
                require(streams[number] != nil, "tracks are announced before their units")
                streams[number]?.take(unit)
            case .furtherAudio(let count): require(count < maximumStreamCount, "the tracks of audio are bounded")
            case .metadata, .unsupported: break
            }
        }
    }
}

/// The main stream and those of eight tracks of video.
private let maximumStreamCount = 9

/// The payload behind the header that the flags choose, so that the input finds configurations and frames easily.
private func configured(_ flags: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    guard flags & 0x0C != 0 else { return bytes }
    let record: [UInt8] = [1, 66, 0, 30, 0xFF, 0xE1, 0, 4, 0x67, 66, 0, 30, 1, 0, 2, 0x68, 0xCE]
    switch (flags & 3, flags & 0x0C) {
    case (0, 0x04): return [0x17, 0, 0, 0, 0] + record
    case (0, 0x08): return [0x27, 1, 0, 0, 0, 0, 0, 0, UInt8(bytes.count)] + bytes
    case (1, 0x04): return [0xAF, 0, 0x11, 0x90]
    case (1, 0x08): return [0xAF, 1] + bytes
    case (0, 0x0C): return multitrack(bytes, configuration: record)
    default: return bytes
    }
}

/// A message with several tracks of video. The first byte chooses the form, what the tracks carry and how many there are, the second the
/// number of the first one; the rest is a frame in each, or cuts the message off.
private func multitrack(_ bytes: [UInt8], configuration: [UInt8]) -> [UInt8] {
    guard bytes.count > 2 else { return bytes }
    let form = bytes[0] & 3
    let packetType: UInt8 = [0, 1, 3, 4][Int(bytes[0] >> 2 & 3)]
    let count = form == 0 ? 1 : Int(bytes[0] >> 4 & 7) + 1
    let frame = [0, 0, 0, UInt8(bytes.count - 2)] + bytes.dropFirst(2)
    let data = packetType == 0 ? configuration : (packetType == 1 ? [0, 0, 40] : []) + frame
    let code = Array((bytes[0] & 0x80 == 0 ? "avc1" : "av01").utf8)
    var message: [UInt8] = [0x96, form << 4 | packetType] + (form == 2 ? [] : code)
    for number in 0..<count {
        if form == 2 { message += number == 1 ? Array("avc1".utf8) : code }
        message.append(bytes[1] &+ UInt8(number))
        if form != 0 { message += [0, UInt8(data.count >> 8), UInt8(truncatingIfNeeded: data.count)] }
        message += data
    }
    return bytes[2] == 0xFF ? Array(message.prefix(bytes.count * 4)) : message
}

/// What the reader has announced of one stream.
private struct Tracks {
    private var tracks: [Track] = []
    private var last: [TrackID: Int64] = [:]
    private var packager: FLVPackager?
    private var timeline = PlayerTimeline()

    mutating func take(_ new: [Track]) {
        require(new.indices.allSatisfy { new[$0].id.index == $0 }, "tracks are numbered from 0")
        require(
            [[.video], [.audio], [.video, .audio]].contains(new.map(\.kind)),
            "a stream has one track of a kind, video first")
        (tracks, last) = (new, [:])
        packager = FLVPackager(tracks: new, options: [.h265, .opus])
    }

    mutating func take(_ unit: AccessUnit) {
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
