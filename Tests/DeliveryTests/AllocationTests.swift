import CAllocations
import Media
import RTP
import SRTP
import Streams
import Testing

@testable import Delivery

/// Serving allocates nothing per packet: a unit of forty packets costs as much as a unit of one.
@Suite(.serialized, .enabled(if: allocations_are_counted() != 0, "a sanitizer owns malloc"))
struct AllocationTests {
    /// Allocations in a turn that serves one unit of `byteCount` bytes, after others as a warm-up.
    private func allocations(ofUnit byteCount: Int, in broadcast: Broadcast, drain: () -> Void) -> UInt64 {
        for _ in 0..<50 {
            broadcast.publish(byteCount: byteCount)
            broadcast.turn(after: 10)
            drain()
        }
        var fewest = UInt64.max
        for _ in 0..<20 {
            broadcast.publish(byteCount: byteCount)
            let before = allocations_of_this_thread()
            broadcast.turn(after: 10)
            fewest = min(fewest, allocations_of_this_thread() - before)
            drain()
        }
        return fewest
    }

    @Test(arguments: [true, false], [HeaderRewriter.fixture, .sendingCaptureTime])
    func datagramsAllocateNothing(usesGSO: Bool, rewriter: HeaderRewriter) throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: usesGSO, rewriter: rewriter)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        let one = allocations(ofUnit: 1_000, in: broadcast) { _ = client.packets() }
        let forty = allocations(ofUnit: 55_000, in: broadcast) { _ = client.packets() }
        #expect(forty == one)
    }

    @Test(arguments: CipherSuite.allCases)
    func encryptedDatagramsAllocateNothing(suite: CipherSuite) throws {
        let broadcast = Broadcast()
        let protection = try TrackProtection.fixture(suite)
        var client = try UDPClient(usesGSO: true, protection: protection)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        let one = allocations(ofUnit: 1_000, in: broadcast) { _ = client.packetBytes() }
        let forty = allocations(ofUnit: 55_000, in: broadcast) { _ = client.packetBytes() }
        #expect(forty == one)
    }

    @Test(arguments: [HeaderRewriter.fixture, .sendingCaptureTime])
    func interleavedPacketsAllocateNothing(rewriter: HeaderRewriter) throws {
        let broadcast = Broadcast()
        let client = try TCPClient(sendBufferByteCount: 1 << 20, rewriter: rewriter)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        let one = allocations(ofUnit: 1_000, in: broadcast) { _ = client.read() }
        let ten = allocations(ofUnit: 12_000, in: broadcast) { _ = client.read() }
        #expect(ten == one)
    }

    /// The runtime's generics allocate here unless they are specialised.
    @Test(.enabled(if: !_isDebugAssertConfiguration(), "holds in optimised builds"))
    func viewersAllocateNothing() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        let one = allocations(ofUnit: 9_000, in: broadcast) { _ = client.packets() }
        for _ in 2...20 {
            let viewer = Viewer(canonicalName: "test", trackCount: 1, output: nil, at: broadcast.now)
            viewer.setUp(TrackID(0), as: try #require(client.viewer.tracks[0]))
            #expect(broadcast.start(viewer))
        }
        let twenty = allocations(ofUnit: 9_000, in: broadcast) { _ = client.packets() }
        #expect(twenty == one)
    }
}
