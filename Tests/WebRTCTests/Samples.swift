import Foundation
import Media
import RTP
import SDP
import TestSupport
import Wire

@testable import WebRTC

/// Offers that browsers have written, and tracks to answer them with.
enum Samples {
    /// The bytes of an offer in `sdp/offers`.
    static func offer(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: Checkout.path("sdp/offers/\(name).sdp"))))
    }

    static let offers =
        ["chromium-playback", "chromium-publishing", "chromium-simulcast", "aiortc-playback"] + offersOfOBS
    static let offersOfOBS = ["obs-publishing", "obs-publishing-newer"]

    /// H.264 with these three bytes of profile and level. Nothing of the set is read but these.
    static func h264(_ profileLevelID: UInt32, id: Int = 0) -> Track {
        let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: profileLevelID >> UInt32($0)) }
        return Track(id: TrackID(id), format: .h264(.init(sequence: [[0x67] + bytes], picture: [[0x68, 0xCE]])!))
    }

    /// Of x264, Main profile with two B-frames.
    static let h264WithBFrames = Track(
        id: TrackID(0),
        format: .h264(
            .init(
                sequence: [
                    [
                        0x67, 0x4D, 0x40, 0x0A, 0xEC, 0xA2, 0x13, 0x60, 0x22, 0x00, 0x00, 0x03, 0x00, 0x02, 0x00, 0x00,
                        0x03,
                        0x00, 0x64, 0x1E, 0x24, 0x4B, 0x2C,
                    ]
                ], picture: [[0x68, 0xEB, 0xE3, 0xCB, 0x20]])!))

    static let h265WithBFrames = Track(id: TrackID(0), format: .h265(H265Samples.sets))
    /// Of x265, Main profile without B-frames.
    static let h265 = Track(
        id: TrackID(0),
        format: .h265(
            .init(
                video: [
                    [
                        0x40, 0x01, 0x0C, 0x01, 0xFF, 0xFF, 0x01, 0x60, 0x00, 0x00, 0x03, 0x00, 0x90, 0x00, 0x00, 0x03,
                        0x00, 0x00, 0x03, 0x00, 0x1E, 0x92, 0x80, 0x90,
                    ]
                ],
                sequence: [
                    [
                        0x42, 0x01, 0x01, 0x01, 0x60, 0x00, 0x00, 0x03, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00, 0x03,
                        0x00, 0x1E, 0xA0, 0x20, 0x81, 0x05, 0x96, 0x4A, 0x92, 0x4C, 0xAF, 0x01, 0x68, 0x08, 0x00, 0x00,
                        0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x00, 0xC8, 0x40,
                    ]
                ],
                picture: [[0x44, 0x01, 0xC1, 0x72, 0xB4, 0x22, 0x40]])!))

    static let opus = Track(id: TrackID(1), format: .opus(channelCount: 2))
    static let aac = Track(
        id: TrackID(1), format: .aac(.init(parsing: [0x11, 0x90])!))
    static let pcmu = Track(
        id: TrackID(1), format: .g711(.init(.mu, sampleRate: ClockRate(hertz: 8_000)!, channelCount: 1)!))

    static let sources = (1...4).map { SSRC($0) }

    static let parameters = AnswerParameters(
        credentials: ICECredentials(random: [UInt8](repeating: 9, count: 24)),
        fingerprint: DTLSFingerprint(sha256: (0..<32).map { UInt8($0) }),
        candidates: [
            ICECandidate(.udp, address: "192.0.2.1", port: 8_189),
            ICECandidate(.tcpPassive, address: "192.0.2.1", port: 8_189),
            ICECandidate(.udp, address: "2001:db8::1", port: 8_189, rank: 1),
        ], sessionID: .max)

    /// The answer to a player of `tracks`.
    static func playback(
        of tracks: [Track], to offer: [UInt8], options: PlaybackAnswer.Options = .init()
    ) throws -> PlaybackAnswer {
        try PlaybackAnswer(
            to: Offer(parsing: offer), tracks: tracks, options: options, sources: sources, parameters)
    }
}

extension [UInt8] {
    /// These bytes with one text in place of another, everywhere.
    func replacing(_ text: String, by other: String) -> [UInt8] {
        [UInt8](String(decoding: self, as: UTF8.self).replacingOccurrences(of: text, with: other).utf8)
    }

    /// These lines without those that begin so.
    func withoutLines(_ prefix: String) -> [UInt8] {
        let lines = String(decoding: self, as: UTF8.self).components(separatedBy: "\r\n")
        return [UInt8](lines.filter { !$0.hasPrefix(prefix) }.joined(separator: "\r\n").utf8)
    }
}

extension SessionDescription {
    /// The values of an attribute in the first medium of a kind.
    func values(of name: String, in kind: String = "video") -> [String] {
        media.first { $0.kind == kind }?.attributes.values(of: name) ?? []
    }
}
