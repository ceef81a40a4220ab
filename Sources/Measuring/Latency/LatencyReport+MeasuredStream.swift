import Media
import RTSPClient

extension MeasuredStream {
    public var report: LatencyReport {
        LatencyReport(
            url: plan.stream.url, transport: plan.stream.transportName,
            encoding: recording.encodingName, seconds: seconds,
            prematureEnd: recording.prematureEnd, start: start, frames: frameCounts,
            clocks: clockReport, captureTimes: captureTimes, latency: latency,
            jitter: LatencyReport.Jitter(
                rfc3550: (recording.jitter?.nanoseconds ?? 0) / 1e6, spacing: spacing.summary),
            audioOffset: audioOffset?.milliseconds, packets: packets,
            videoBitrate: rate(of: frames.dropFirst().reduce(0) { $0 + $1.frame.packetByteCount }),
            audioBitrate: rate(of: recording.audio.reduce(0) { $0 + $1.byteCount }), groups: groupReport)
    }

    private func rate(of byteCount: Int) -> Double {
        seconds > 0 ? Double(byteCount) * 8 / seconds : 0
    }

    private var start: LatencyReport.Start {
        func since(_ instant: MonotonicTime?) -> Double? { instant.map { ($0 - recording.opened).milliseconds } }
        return LatencyReport.Start(
            connected: since(recording.connected), playAnswered: since(recording.played),
            firstPacket: since(recording.firstPacket), firstDecodable: since(recording.firstDecodable),
            firstDecoded: since(recording.firstDecoded))
    }

    private var frameCounts: LatencyReport.Frames {
        LatencyReport.Frames(
            before: recording.frames.count - frames.count, received: frames.count,
            keys: frames.count { $0.frame.isKey }, broken: frames.count { !$0.frame.isWhole },
            decoded: frames.count { $0.frame.decoded != nil }, skipped: recording.skippedUnits,
            perSecond: seconds > 0 ? Double(frames.count - 1) / seconds : 0)
    }

    private var clockReport: LatencyReport.Clocks {
        var offset: Double?
        if case .estimated(let nanoseconds, _) = clocks { offset = nanoseconds.milliseconds }
        return LatencyReport.Clocks(
            relation: clocks.name, sentence: clocks.sentence, offset: offset, error: clocks.error?.milliseconds,
            ownStep: (recording.wallClockOffsetAtEnd &- recording.wallClockOffset).milliseconds)
    }

    private var captureTimes: LatencyReport.CaptureTimes {
        func count(_ basis: CaptureTimeline.Basis?) -> Int {
            frames.count { $0.capture?.basis == basis }
        }
        func named(_ counts: [CaptureTimeline.RejectionReason: Int]) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
        }
        return LatencyReport.CaptureTimes(
            sei: count(.sei), seiAndRTP: count(.earlierSEI), senderReports: count(.senderReport), unknown: count(nil),
            origin: recording.captureTimeOrigin?.rawValue,
            rejectedSEI: named(timeline.rejectedSEI),
            rejectedSenderReports: named(timeline.rejectedReports),
            seiAfterSenderReports: timeline.seiAfterReports.summary)
    }

    private var latency: LatencyReport.Latency {
        LatencyReport.Latency(
            captureToEncoded: encoded.summary, captureToArrival: arrival.summary, captureToDecoded: decoded.summary,
            arrivalToDecoded: decoding.summary, lateness: lateness.summary)
    }

    private var packets: LatencyReport.Packets {
        let loss = recording.loss
        let received = loss.reduce(0) { $0 + $1.packets }
        let lost = loss.reduce(0) { $0 + $1.lost }
        let lostBeforeRepair = loss.reduce(0) { $0 + $1.lostBeforeRepair }
        func percent(_ count: UInt64) -> Double {
            received + lost > 0 ? Double(count) / Double(received + lost) * 100 : 0
        }
        return LatencyReport.Packets(
            received: received, lostBeforeRepair: lostBeforeRepair, lossPercentBeforeRepair: percent(lostBeforeRepair),
            repaired: loss.reduce(0) { $0 + $1.repaired }, lost: lost, lossPercent: percent(lost),
            repair: recording.repair,
            gaps: loss.reduce(0) { $0 + $1.gaps }, duplicates: loss.reduce(0) { $0 + $1.duplicates },
            reordered: loss.reduce(0) { $0 + $1.reordered }, malformed: recording.malformedPackets)
    }

    private var groupReport: LatencyReport.Groups? {
        let (durations, frameCounts) = groups
        guard let median = durations.median, let longest = durations.sorted.last else { return nil }
        let sorted = frameCounts.sorted()
        return LatencyReport.Groups(
            whole: sorted.count, medianFrames: sorted[(sorted.count - 1) / 2], longestFrames: sorted.last ?? 0,
            median: median.milliseconds, longest: longest.milliseconds)
    }
}
