import Media
import TestSupport

@testable import RTMP

/// Parameter sets of x264 for 640×360.
let h264Sets = H264.ParameterSets(
    sequence: [
        [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
    ], picture: [[0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]])!

/// AAC-LC, 48 kHz, stereo.
let aacConfiguration = AAC.AudioSpecificConfig(parsing: [0x11, 0x90])!

let avcTracks = [
    Track(id: TrackID(0), format: .h264(h264Sets)), Track(id: TrackID(1), format: .aac(aacConfiguration)),
]

let hevcTracks = [
    Track(id: TrackID(0), format: .h265(H265Samples.sets)), Track(id: TrackID(1), format: .opus(channelCount: 2)),
]

let epoch = MonotonicTime(nanoseconds: 0)

/// An instant in milliseconds after the epoch.
func instant(_ milliseconds: Int64) -> MonotonicTime { epoch.advanced(byMilliseconds: milliseconds) }

/// Bytes of hexadecimal digits; blanks are skipped.
func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension AccessUnit {
    /// The NAL units or blocks.
    var contents: [[UInt8]] { units.map { Array(bytes[$0]) } }
}

/// A video frame with times in milliseconds.
func frame(_ nalUnits: [[UInt8]], decode: Int64, shown: Int64, isKeyframe: Bool = false) -> AccessUnit {
    AccessUnit(
        track: TrackID(0), presentationTime: MediaTime(ticks: shown * 90, rate: .video),
        decodeTime: MediaTime(ticks: decode * 90, rate: .video), isKeyframe: isKeyframe, nalUnits: nalUnits)
}

/// Messages as a publisher sends them, with the first time at 0.
func messages(of units: [AccessUnit], tracks: [Track], _ codecs: EnhancedCodecs = []) -> [Message] {
    var packager = FLVPackager(tracks: tracks, options: codecs)
    var timeline = PlayerTimeline()
    let head = packager.head?.messages(for: .server) ?? []
    return head.map { Message($0.type, streamID: 1, payload: $0.payload) }
        + units.compactMap { packager.package($0) }.flatMap(\.messages).map {
            $0.message(streamID: 1, at: timeline.timestamp(of: $0))
        }
}

/// What a reader makes of messages that come at `arrival`.
func read(_ messages: [Message], arrival: MonotonicTime = epoch) -> ReadTags {
    var reader = TagReader(epoch: epoch)
    var result = ReadTags()
    for message in messages {
        reader.received(message, arrival: arrival)
        result.take(from: &reader)
    }
    return result
}

/// The outputs of a `TagReader`.
struct ReadTags {
    /// Of the main stream.
    var tracks: [[Track]] = []
    var units: [AccessUnit] = []
    /// Of the others, by the numbers of their tracks.
    var otherTracks: [TrackNumber: [[Track]]] = [:]
    var otherUnits: [TrackNumber: [AccessUnit]] = [:]
    var metadata: [StreamMetadata] = []
    var unsupported: [String] = []
    var furtherAudioCount = 0

    mutating func take(from reader: inout TagReader) {
        while let output = reader.next() {
            switch output {
            case .tracks(let new, of: .main): tracks.append(new)
            case .unit(let unit, of: .main): units.append(unit)
            case .tracks(let new, of: let number): otherTracks[number, default: []].append(new)
            case .unit(let unit, of: let number): otherUnits[number, default: []].append(unit)
            case .metadata(let new): metadata.append(new)
            case .unsupported(let codec): unsupported.append(codec)
            case .furtherAudio(let count): furtherAudioCount = count
            }
        }
    }
}

/// The messages and the error of bytes that come in pieces.
func chunked(_ pieces: [[UInt8]], limits: ChunkReader.Limits = .init()) -> (messages: [Message], error: RTMPError?) {
    var reader = ChunkReader(limits: limits)
    var messages: [Message] = []
    for piece in pieces {
        reader.append(piece.rawSpan)
        do throws(RTMPError) {
            while let message = try reader.next() { messages.append(message) }
        } catch {
            return (messages, error)
        }
    }
    return (messages, nil)
}
