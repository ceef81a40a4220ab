import Impairment
import Media

@testable import RateControl

/// Streams with one viewer each over UDP, whose packets share one impaired link, in virtual time.
struct PacketPath {
    /// What viewers report.
    enum Reports {
        /// Transport-wide feedback with every frame, as GStreamer sends it.
        case transportWide
        /// A receiver report for each 280 KB received, as ffmpeg sends it.
        case receiver
    }

    /// One stream and its viewer.
    struct Flow {
        fileprivate(set) var encoder = EncoderRate(.init(limits: .simulated, headerShare: 0))
        fileprivate(set) var estimator = PathEstimator(limits: .simulated, repair: .works)
        let start: Double
        /// Time and bitrate of each change, and time and delay of each frame's last packet, in seconds.
        fileprivate(set) var changes: [(time: Double, rate: Double)] = []
        fileprivate(set) var delays: [(captured: Double, delay: Double)] = []
        fileprivate(set) var reportTimes: [Double] = []
        /// Bytes that arrived after the first minute.
        fileprivate(set) var lateByteCount = 0

        fileprivate var sentCount = 0
        fileprivate var nextNumber = 0
        fileprivate var lostCount = 0
        fileprivate var byteCountSinceReport = 0
        fileprivate var sentTimes: [Int64] = []

        init(start: Double) { self.start = start }
    }

    private struct Packet {
        let flow: Int
        let number: Int
        let byteCount: Int
        let isLastOfFrame: Bool
    }

    private(set) var flows: [Flow]
    private var link: Link<Packet>
    private let reports: Reports

    private static let frameNanoseconds: Int64 = 33_333_333
    private static let returnNanoseconds: Int64 = 20_000_000

    init(_ timetable: String, reports: Reports, starts: [Double] = [0]) throws {
        link = Link(try Timetable(timetable), seed: 1, direction: .down)
        flows = starts.map(Flow.init)
        self.reports = reports
    }

    mutating func run(seconds: Int64) {
        var viewers = ViewerRates()
        for number in 0..<seconds * 30 {
            for index in flows.indices {
                // Streams do not capture at the same instants.
                let now = number * Self.frameNanoseconds + Int64(index * 13_000_000)
                arrive(at: now)
                guard flows[index].start * 1e9 <= Double(now) else { continue }
                viewers.removeAll()
                viewers.add(flows[index].estimator.estimate)
                if let order = flows[index].encoder.update(&viewers, at: MonotonicTime(nanoseconds: now)) {
                    flows[index].changes.append((Double(now) / 1e9, Double(order.bitrate.bitsPerSecond)))
                }
                sendFrame(of: index, isLarge: number % 60 == 0, at: now)
            }
        }
    }

    private mutating func sendFrame(of index: Int, isLarge: Bool, at now: Int64) {
        let bits = Double(flows[index].encoder.order.bitrate.bitsPerSecond) / 30 * (isLarge ? 2 : 59.0 / 60)
        var rest = Int(bits / 8)
        while rest > 0 {
            let byteCount = min(rest, 1200)
            rest -= byteCount
            let packet = Packet(
                flow: index, number: flows[index].sentCount, byteCount: byteCount, isLastOfFrame: rest == 0)
            flows[index].sentCount += 1
            flows[index].sentTimes.append(now)
            link.receive(packet, byteCount: byteCount, at: now)
        }
    }

    /// Handles packets whose reports have come back by `now`.
    private mutating func arrive(at now: Int64) {
        var reporting: Set<Int> = []
        while let (packet, due) = link.release(at: now - Self.returnNanoseconds) {
            let flow = packet.flow
            let sent = flows[flow].sentTimes[packet.number]
            if packet.isLastOfFrame { flows[flow].delays.append((Double(sent) / 1e9, Double(due - sent) / 1e9)) }
            if due > 60_000_000_000 { flows[flow].lateByteCount += packet.byteCount }
            let missing = flows[flow].nextNumber..<packet.number
            flows[flow].lostCount += missing.count
            flows[flow].nextNumber = packet.number + 1
            switch reports {
            case .transportWide:
                for number in missing {
                    flows[flow].estimator.received(
                        PacketFeedback(sent: flows[flow].sentTimes[number], arrival: nil, byteCount: 1200))
                }
                flows[flow].estimator.received(
                    PacketFeedback(sent: sent, arrival: due + 77_000_000_000, byteCount: packet.byteCount))
                reporting.insert(flow)
            case .receiver:
                report(packet, at: due + Self.returnNanoseconds)
            }
        }
        for flow in reporting { flows[flow].estimator.endOfFeedback(at: MonotonicTime(nanoseconds: now)) }
    }

    private mutating func report(_ packet: Packet, at now: Int64) {
        let flow = packet.flow
        flows[flow].byteCountSinceReport += packet.byteCount
        guard flows[flow].byteCountSinceReport >= 280_000 else { return }
        flows[flow].byteCountSinceReport = 0
        flows[flow].reportTimes.append(Double(now) / 1e9)
        flows[flow].estimator.received(
            LossReport(
                fractionLost: 0, cumulativeLost: Int32(flows[flow].lostCount),
                extendedHighestSequenceNumber: UInt32(packet.number), meanPacketByteCount: 1140),
            at: MonotonicTime(nanoseconds: now))
    }
}
