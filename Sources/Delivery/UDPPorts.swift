import CLinux
import Media
import Reactor

/// One pair of sockets, RTP and RTCP, and the batch of datagrams that is about to leave through the first.
///
/// A loop has one pair for all its viewers; each multicast group has one of its own. Confined to its loop.
public final class UDPPorts {
    public let pair: PortPair
    let batch = SendBatch()
    /// Whether the kernel cuts trains here. Probed at start, given up at run time where a device cannot.
    private(set) var isSegmenting: Bool
    /// What keeps it from sending.
    private var obstacle: Obstacle?

    private enum Obstacle {
        /// The socket's buffer is full: sending goes on when it is writable.
        case fullBuffer
        /// A device's queue is full, or the kernel has no memory: the socket stays writable, so sending is tried again soon.
        case congestion
    }

    /// When to try again where no event tells, in nanoseconds: that empties a good part of a queue.
    public static let retryInterval: Int64 = 2_000_000

    public init(pair: consuming PortPair, isSegmenting: Bool) {
        self.pair = pair
        self.isSegmenting = isSegmenting
    }

    /// How addresses are written for these sockets.
    var family: AddressFamily { pair.rtp.family }

    /// Whether nothing is sent for now.
    public var isBlocked: Bool { obstacle != nil }

    /// Whether it is blocked until the RTP socket is writable; else it is worth another try after `retryInterval`.
    public var isWaitingForRoom: Bool { obstacle == .fullBuffer }

    /// The RTP socket can take more, or it is worth another try.
    public func becameWritable() {
        obstacle = nil
    }

    /// Hands the batch to the kernel; viewers whose messages it did not take are put back to where they were.
    func flush(_ statistics: inout DeliveryStatistics) {
        while batch.messageCount > 0 {
            statistics.systemCalls += 1
            let sent = pair.rtp.send(batch.pending)
            batch.removeFirst(sent.count)
            guard let error = sent.error else { continue }
            if sent.wouldBlock {
                obstacle = error.code == ENOBUFS ? .congestion : .fullBuffer
                return batch.rollBack(&statistics)
            }
            if sent.refusesSegmentation, batch.isFirstTrain {
                // A device that cannot checksum what it cuts (EIO) is most likely everyone's; the rest is about this route.
                if error.code == EIO { isSegmenting = false }
                batch.cutFirst()
                continue
            }
            // No route, filtered: what this one viewer misses is counted, the others go on.
            statistics.refusedMessages += 1
            batch.removeFirst(1)
        }
    }

    /// Sends one RTCP compound packet. One that is lost is no harm: the next follows.
    func sendReport(_ bytes: [UInt8], over route: UDPRoute) {
        _ = bytes.withUnsafeBytes {
            pair.rtcp.send($0, to: route.reportDestination, segmentByteCount: nil, source: route.source)
        }
    }
}
