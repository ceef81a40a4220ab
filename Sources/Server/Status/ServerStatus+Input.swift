import Delivery
import Media
import SRTServer

extension ServerStatus {
    /// What a source receives over the network.
    public struct InputLine: Hashable, Sendable, Codable {
        /// The URL of a pulled stream without user and password, or the address of a publisher or of the sender of datagrams.
        public let peer: String
        /// `TCP`, `UDP`, `multicast` or `TLS`; with SRTP `SRTP over UDP` or `SRTP over TLS`; `RTMP` or `RTMPS`.
        public let transport: String
        /// The publisher's user and program.
        public let user: String?
        public let client: String?
        /// Of each RTP stream; for datagrams, of the packets of their transport stream.
        public let tracks: [InputTrackLine]
        /// The names of what comes and is not received, such as a stream in a transport stream, or datagrams of a second sender.
        public let leftOut: [String]
        /// How the capture times are determined: `arrival`, `sender-reports` or `sender-clock`; `nil` in the first second.
        public let captureTimes: String?
        /// By how many milliseconds the sender's time of day is ahead of this host's, less the delay on the way; `nil` without
        /// sender reports.
        public let senderClockAhead: Double?
        /// The round-trip time to the peer in milliseconds. Unless the sender's clock is believed, capture times are late by less
        /// than this.
        public let roundTrip: Double?
        /// Of its connection over SRT; `nil` if there is none.
        public let srt: SRTLine?
    }

    /// A track of a received stream.
    public struct InputTrackLine: Hashable, Sendable, Codable {
        public let codec: String
        public let packets: Int64
        public let lost: Int
        public let reordered: Int64
        /// Access units of which a part is missing.
        public let broken: Int
        /// Packets that have failed the authentication of SRTP; `nil` without SRTP.
        public let unauthentic: Int64?
        /// Interarrival jitter in milliseconds.
        public let jitter: Double
        public let captureTimes: String
        /// By how much faster its clock advances than this host's, in parts per million; `nil` in the first half minute.
        public let drift: Double?
        /// How often its timestamps jumped.
        public let jumps: Int
    }
}

extension ServerStatus.InputLine {
    /// - Parameter srt: what libsrt has counted on its connection; `nil` without SRT.
    init(_ input: NetworkInput, _ srt: SRTStatistics?) {
        peer = input.peer
        transport = input.transport
        user = input.user
        client = input.client
        tracks = input.reception?.tracks.map(ServerStatus.InputTrackLine.init) ?? []
        leftOut = input.reception?.leftOut ?? []
        captureTimes = input.reception?.origin.rawValue
        senderClockAhead = input.reception?.senderClockAhead.map { Double($0) / 1e6 }
        roundTrip = input.reception?.roundTrip.map { Double($0) / 1e6 }
        self.srt = srt.map(ServerStatus.SRTLine.init(receiving:))
    }

    /// Two lines, one more for SRT, and a table, for people.
    var text: String {
        let from = user.map { "\(printable($0))@\(peer)" } ?? peer
        var text = "  from \(from) over \(transport)\(client.map { ", \(printable($0))" } ?? "")\n"
        if let srt { text += "  \(srt.text)\n" }
        guard let captureTimes else { return text }
        text += "  capture times by \(Self.names[captureTimes] ?? captureTimes)"
        if srt == nil, let roundTrip { text += ", round trip \(ServerStatus.number(roundTrip)) ms" }
        if let ahead = senderClockAhead {
            text += ", sender's clock less the delay \(ahead < 0 ? "−" : "+")\(ServerStatus.number(ahead.magnitude)) ms"
        }
        if !leftOut.isEmpty { text += "\n  not received: \(printable(leftOut.joined(separator: ", ")))" }
        return text + "\n" + Self.table(tracks)
    }

    private static let names = [
        CaptureTimeOrigin.arrival.rawValue: "arrival", CaptureTimeOrigin.senderReports.rawValue: "sender reports",
        CaptureTimeOrigin.senderClock.rawValue: "the sender's clock",
    ]

    /// With a column for SRTP if a track uses it.
    private static func table(_ tracks: [ServerStatus.InputTrackLine]) -> String {
        let isProtected = tracks.contains { $0.unauthentic != nil }
        return textTable(
            [
                ["received", "packets", "lost", "reordered", "broken"] + (isProtected ? ["unauthentic"] : [])
                    + ["jitter", "clock", "jumps"]
            ]
                + tracks.map { track in
                    [track.codec, "\(track.packets)", "\(track.lost)", "\(track.reordered)", "\(track.broken)"]
                        + (isProtected ? [track.unauthentic.map { "\($0)" } ?? "–"] : [])
                        + [
                            "\(ServerStatus.number(track.jitter)) ms",
                            track.drift.map { "\($0 < 0 ? "−" : "+")\(ServerStatus.number($0.magnitude)) ppm" }
                                ?? "unknown",
                            "\(track.jumps)",
                        ]
                })
    }
}

extension ServerStatus.InputTrackLine {
    init(_ track: ReceptionStatus.Track) {
        codec = track.codec
        packets = track.packetCount
        lost = track.lostCount
        reordered = track.reorderedCount
        broken = track.brokenCount
        unauthentic = track.unauthenticCount
        jitter = Double(track.jitter) / 1e6
        captureTimes = track.origin.rawValue
        drift = track.drift
        jumps = track.jumpCount
    }
}
