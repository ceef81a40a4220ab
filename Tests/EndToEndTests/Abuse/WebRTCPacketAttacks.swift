import Foundation
import Media
import RTP
import TestSupport
import WebRTC

/// Attacks on and by the packets in sessions of WebRTC.
extension Attack {
    static let webrtcPackets: [Attack] = [
        Attack(
            "WebRTC: checks with the source of another client, to take over its session",
            in: "WebRTCServer/Service/WebRTCService+Datagrams.swift",
            guard: "guard !table.isReserved(path, against: session, at: now) else { return }",
            effect: "no answer; the session of the other client continues"
        ) { target in
            try target.withWebRTC { victim in
                try victim.establish()
                try target.withWebRTC { attacker in
                    try attacker.establish()
                    try verify(attacker.peer.port == victim.peer.port, "the sessions are on two loops")
                    // To the server, a forged source is a datagram of the victim's socket.
                    for _ in 0..<3 { victim.peer.send(attacker.peer.check()) }
                    // The ninth path displaces the oldest one.
                    for _ in 0..<9 { _ = try attacker.checkedStranger() }
                    let count = clockAnswerCount(of: victim.peer)
                    victim.peer.send(clockRequest)
                    try verify(
                        victim.peer.run(within: 5 * Sanitizer.patience) { clockAnswerCount(of: victim.peer) > count },
                        "the victim's packets go to the attacker's session")
                    try victim.expectMedia()
                }
            }
        },
        Attack(
            "WebRTC: a flood of DTLS, RTP and RTCP in a session", in: "WebRTCServer/Service/WebRTCService.swift",
            guard: "for _ in 0..<Self.batchesPerTurn {", effect: "other clients get responses meanwhile"
        ) { target in
            try target.withWebRTC { attacker in
                try attacker.establish()
                let record: [UInt8] = [23, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 9, 9, 0, 200]
                try target.expectAnswers(during: 0.7) {
                    for first in [record, [0x80, 96], [0x81, 0xC9, 0, 7]] {
                        attacker.peer.send(first + [UInt8](repeating: 7, count: 200))
                    }
                }
                try attacker.expectMedia()
            }
        },
        Attack(
            "WebRTC: SRTCP packets a second time", in: "SRTP/IncomingReports.swift",
            guard: "guard windows[source]?.accepts(index) ?? true else { return .received }", effect: "no effect"
        ) { target in
            try target.withWebRTC { attacker in
                try attacker.establish()
                let peer = attacker.peer
                guard let report = peer.sealed(clockRequest) else { throw Breach(description: "no keys") }
                let count = clockAnswerCount(of: peer)
                for _ in 0..<5 { peer.send(report) }
                peer.send(clockRequest)
                try verify(peer.run { clockAnswerCount(of: peer) >= count + 2 }, "no answer")
                try attacker.expectMedia()
                try verify(clockAnswerCount(of: peer) == count + 2, "a packet was taken again")
            }
        },
        Attack(
            "WebRTC: a publisher's SRTP packets again and again", in: "RTP/SRTP/PacketWindow.swift",
            guard: "if received.accepts(UInt64(index)) { return Candidates(probable: UInt64(index), later: later) }",
            effect: "no frame is published twice, and they are not counted as received", scope: .users
        ) { target in
            let peer = try WebRTCPeer()
            try target.withWebRTC(peer, offer: peer.offer("sendonly"), at: "live/gate/whip", as: .reporter) {
                attacker in
                try attacker.establish()
                let sender = try SRTPSender(peer)
                sender.sendKeyframe(filledWith: 9)
                // A source begins anew if 100 packets in a row are too old; the window for replays has 64.
                for _ in 0..<150 {
                    sender.sendFrame(filledWith: 9)
                    _ = peer.run(within: 0.01) { false }
                }
                let viewer = try PublicationViewer(of: "live/gate", on: target)
                sender.sendKeyframe(filledWith: 5)
                try viewer.expectFrame(filledWith: 5)
                for _ in 0..<20 {
                    for packet in sender.packets { peer.send(packet) }
                    _ = peer.run(within: 0.03) { false }
                }
                sender.sendKeyframe(filledWith: 6)
                try viewer.expectFrame(filledWith: 6, not: 9)
                let isReported = peer.run(within: 5 * Sanitizer.patience) {
                    reception(of: sender, by: peer)?.extendedHighestSequenceNumber == sender.newest
                }
                try verify(isReported, "the reports of the server do not know the last packet")
                // What is received more than once is less than nothing lost.
                let lost = reception(of: sender, by: peer)?.cumulativeLost ?? 0
                try verify(lost == 0, "\(lost) packets are counted as lost")
            }
        },
        Attack(
            "WebRTC: false transport-wide feedback, about thousands of packets", in: "RTP/RTCP/TransportFeedback.swift",
            guard: "statusCount > 0, statusCount <= Self.maximumCount",
            effect: "ignored; other clients get responses meanwhile"
        ) { target in
            // The encoder of this path follows what clients report.
            try target.withWebRTC(at: "yard/gate/whep") { attacker in
                try attacker.establish()
                try verify(attacker.peer.run { !attacker.peer.packets.isEmpty }, "no media")
                let media = attacker.peer.packets[0].header.ssrc
                var base: UInt16 = 0
                try target.expectAnswers(during: 0.7) {
                    base &+= 7_919
                    attacker.peer.send(report: feedback(about: 65_535, from: base, media))
                    // Packets that were never sent, and that arrived before they were.
                    let arrivals: [Int64?] = [0, nil, -8_000_000_000, 8_000_000_000]
                    let message = TransportFeedback(base: SequenceNumber(base), arrivals: arrivals, count: 1)
                    attacker.peer.send(
                        .feedback(Feedback(sender: SSRC(1), request: .transportWide(media: media, message))))
                }
                try attacker.expectMedia()
            }
        },
    ]

    /// The newest report of the server about the packets of a sender.
    private static func reception(of sender: SRTPSender, by peer: WebRTCPeer) -> ReportBlock? {
        let blocks = peer.reports.flatMap { report -> [ReportBlock] in
            if case .receiverReport(let report) = report { report.blocks } else { [] }
        }
        return blocks.last { $0.ssrc == sender.ssrc }
    }

    /// Feedback that all of these packets arrived at the same time, by chunks of 8 191 packets, without their times.
    private static func feedback(about count: UInt16, from base: UInt16, _ media: SSRC) -> [UInt8] {
        func bytes(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        let chunks = [[UInt8]](repeating: [0x1F, 0xFF], count: 9).flatMap(\.self) + [0, 0]
        let body = bytes(1) + bytes(media.rawValue) + bytes(UInt32(base) << 16 | UInt32(count)) + bytes(1 << 8) + chunks
        return [0x8F, 205, 0, UInt8(body.count / 4)] + body
    }
}
