import Media
import Reactor

/// One pair of sockets, RTP and RTCP, and the batch of datagrams that is about to leave through the first.
///
/// A loop has one pair for all its viewers; each multicast group has one of its own. Confined to its loop.
public final class UDPPorts {
    public let pair: PortPair
    let batch = SendBatch()
    /// Whether the kernel cuts trains here. Probed at start, given up at run time where a route refuses.
    private(set) var isSegmenting: Bool
    /// Whether the socket's buffer is full: sending goes on when it is writable.
    public private(set) var isBlocked = false

    public init(pair: consuming PortPair, isSegmenting: Bool) {
        self.pair = pair
        self.isSegmenting = isSegmenting
    }

    /// How addresses are written for these sockets.
    var family: AddressFamily { pair.rtp.family }

    /// The RTP socket can take more.
    public func becameWritable() {
        isBlocked = false
    }

    /// Hands the batch to the kernel; viewers whose messages it did not take are put back to where they were.
    func flush(_ statistics: inout DeliveryStatistics) {
        while batch.messageCount > 0 {
            statistics.systemCalls += 1
            let sent = pair.rtp.send(batch.pending)
            batch.removeFirst(sent.count)
            guard let error = sent.error else { continue }
            if sent.wouldBlock {
                isBlocked = true
                return batch.rollBack()
            }
            if sent.refusesSegmentation, isSegmenting, batch.hasTrains {
                // The route takes no trains: viewers are put back and sent single datagrams from now on.
                isSegmenting = false
                return batch.rollBack()
            }
            _ = error  // No route, filtered: what this one viewer misses is counted, the others go on.
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
