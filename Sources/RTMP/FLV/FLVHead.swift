import Media
import Wire

/// The messages that a player needs before the first frame: the metadata and the decoder configurations.
public struct FLVHead: PackagedHead, Hashable {
    public let generation: Generation
    private let metadata: AMF0.Object
    private let configurations: [FLVMessage]

    /// The receiver of the messages.
    public enum Receiver: Hashable, Sendable {
        case player
        /// A server, to which a client publishes: it must be told to keep the metadata for its players.
        case server
    }

    /// A message of a head.
    public struct Part: Hashable, Sendable {
        public let type: MessageType
        public let chunkStream: ChunkStreamID
        public let payload: [UInt8]
    }

    init(_ tracks: [FLVTrack], generation: Generation) {
        self.generation = generation
        metadata = Self.metadata(of: tracks.map(\.track))
        configurations = tracks.map {
            FLVMessage($0.track.kind == .video ? .video : .audio, milliseconds: 0, payload: $0.configuration)
        }
    }

    /// Whether a player that has `former` needs nothing new.
    func isCovered(by former: FLVHead) -> Bool {
        metadata == former.metadata && configurations == former.configurations
    }

    /// The messages in the order in which they must be sent.
    public func messages(for receiver: Receiver) -> [Part] {
        let command: [AMF0.Value] = receiver == .server ? [.string("@setDataFrame")] : []
        let data = AMF0.bytes(of: command + [.string("onMetaData"), .ecmaArray(metadata)])
        return [Part(type: .dataAMF0, chunkStream: .audio, payload: data)]
            + configurations.map {
                Part(type: $0.type, chunkStream: $0.type == .video ? .video : .audio, payload: $0.payload)
            }
    }

    /// The metadata of a stream (Adobe Flash Video File Format, section E.5). Codecs of enhanced RTMP have their FourCC as number.
    private static func metadata(of tracks: [Track]) -> AMF0.Object {
        var object = AMF0.Object([])
        for track in tracks {
            switch track.format {
            case .h264(let sets):
                let set = H264.SequenceParameterSet(parsing: sets.sequence[0])
                object.append(width: set?.width, height: set?.height, codec: 7)
            case .h265(let sets):
                let set = H265.SequenceParameterSet(parsing: sets.sequence[0])
                object.append(width: set?.width, height: set?.height, codec: FourCC.hevc.rawValue)
            case .aac: object.append("audiocodecid", .number(10))
            case .opus: object.append("audiocodecid", .number(Double(FourCC.opus.rawValue)))
            case .g711: break
            }
            guard let channelCount = track.format.channelCount else { continue }
            object.append("audiosamplerate", .number(Double(track.clockRate.hertz)))
            object.append("stereo", .boolean(channelCount != 1))
        }
        return object
    }
}

extension AMF0.Object {
    fileprivate mutating func append(width: Int?, height: Int?, codec: UInt32) {
        if let width, let height {
            append("width", .number(Double(width)))
            append("height", .number(Double(height)))
        }
        append("videocodecid", .number(Double(codec)))
    }
}
