import Foundation
import Media
import TestSupport

/// A server that plays a short clip over TCP in real time, with capture timestamps in SEI that may be wrong.
enum TimestampedReplay {
    /// Returns the clip's access units, one slice each; the parameter sets are in the first.
    static func clip() async throws -> [AccessUnit] {
        let outcome = try await Command.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=30", "-t", "5", "-c:v",
                "libx264",
            ]
                + [
                    "-preset", "ultrafast", "-tune", "zerolatency", "-x264-params",
                    "sliced-threads=0:keyint=30:scenecut=0",
                ]
                + ["-pix_fmt", "yuv420p", "-f", "h264", "-"])
        var units: [AccessUnit] = []
        var gathered: [[UInt8]] = []
        for unit in AnnexB.units(of: outcome.output) {
            gathered.append(unit)
            guard AnnexB.type(of: unit) == 1 || AnnexB.type(of: unit) == 5 else { continue }
            let time = MediaTime(ticks: Int64(units.count) * 3_000, rate: .video)
            units.append(
                AccessUnit(
                    track: TrackID(0), presentationTime: time, decodeTime: time,
                    isKeyframe: AnnexB.type(of: unit) == 5, nalUnits: gathered))
            gathered = []
        }
        return units
    }

    /// Serves `clip`; `wrong` changes the correct timestamp of each unit.
    static func server(
        _ clip: [AccessUnit], _ wrong: @escaping @Sendable (inout CaptureTimestamp) -> Void
    ) throws -> ScriptedServer {
        try ScriptedServer { request, peer in
            switch request.method {
            case "DESCRIBE":
                peer.send(
                    request.answer(
                        body: "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=cam\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\n"
                            + "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:track1\r\n"))
            case "SETUP": peer.send(request.answer(["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]))
            case "PLAY": peer.send(request.answer(["Session: 1"])) && play(clip, to: peer, wrong)
            default: peer.send(request.answer(["Session: 1"]))
            }
        }
    }

    private static func play(
        _ clip: [AccessUnit], to peer: ScriptedServer.Peer, _ wrong: (inout CaptureTimestamp) -> Void
    ) -> Bool {
        var number: UInt16 = 0
        let start = now(CLOCK_MONOTONIC)
        for (index, unit) in clip.enumerated() {
            let due = start + Int64(index) * 33_333_333
            // Sends at the clip's frame rate: the server waits here, not the test.
            while now(CLOCK_MONOTONIC) < due { usleep(500) }
            // The RTP timestamp ignores how late the unit is sent.
            let lateness = now(CLOCK_MONOTONIC) - due
            var stamp = CaptureTimestamp(
                frameNumber: UInt32(index), wallClock: NTPTime(unixNanoseconds: now(CLOCK_REALTIME) - lateness),
                monotonic: MonotonicTime(nanoseconds: due))
            wrong(&stamp)
            guard peer.send(frames(of: unit.stamped(with: stamp), at: UInt32(index * 3_000), &number)) else {
                return false
            }
        }
        return false
    }

    /// Returns one interleaved packet per NAL unit; each is small enough for that.
    private static func frames(of unit: AccessUnit, at timestamp: UInt32, _ number: inout UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, range) in unit.units.enumerated() {
            let isLast = index == unit.units.count - 1
            let length = UInt16(12 + range.count)
            bytes += [0x24, 0, UInt8(length >> 8), UInt8(length & 0xFF), 0x80, 96 | (isLast ? 0x80 : 0)]
            bytes += [UInt8(number >> 8), UInt8(number & 0xFF)]
            bytes += [24, 16, 8, 0].map { UInt8(timestamp >> $0 & 0xFF) } + [0, 0, 0, 1] + unit.bytes[range]
            number &+= 1
        }
        return bytes
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
