import Media

@testable import RTMP

/// Messages of enhanced RTMP with several tracks, as publishers write them.
enum Multitrack {
    /// How the tracks of a message say their codecs.
    enum Form: UInt8, CaseIterable {
        case oneTrack = 0
        case manyTracks = 1
        case manyTracksManyCodecs = 2
    }

    /// A track's part of a message.
    struct Part {
        var number: UInt8
        var code = "avc1"
        var data: [UInt8]
    }

    /// Types of packets.
    static let (sequenceStart, codedFrames, codedFramesX): (UInt8, UInt8, UInt8) = (0, 1, 3)

    /// A message; with `.oneTrack` and `.manyTracks`, all parts have the codec of the first.
    static func message(
        _ form: Form, _ packetType: UInt8, _ parts: [Part], isKeyframe: Bool = false, at time: UInt32 = 0
    ) -> Message {
        var payload: [UInt8] = [isKeyframe ? 0x96 : 0xA6, form.rawValue << 4 | packetType]
        if form != .manyTracksManyCodecs { payload += parts[0].code.utf8 }
        for part in parts {
            if form == .manyTracksManyCodecs { payload += part.code.utf8 }
            payload.append(part.number)
            if form != .oneTrack { payload += [16, 8, 0].map { UInt8(truncatingIfNeeded: part.data.count >> $0) } }
            payload += part.data
        }
        return Message(.video, streamID: 1, timestamp: time, payload: payload)
    }

    /// The decoder configuration of H.264 for a message with composition times of enhanced RTMP.
    static let configuration = h264Sets.decoderConfigurationRecord ?? []

    /// A frame of one NAL unit of two bytes.
    static func frame(_ fill: UInt8, isKeyframe: Bool = false) -> [UInt8] {
        [0, 0, 0, 2, isKeyframe ? 0x65 : 0x41, fill]
    }
}
