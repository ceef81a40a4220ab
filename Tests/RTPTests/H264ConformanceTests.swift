import Media
import RTP
import TestSupport
import Testing

@Suite struct H264ConformanceTests {
    private func nalUnits(of file: [UInt8]) -> [[UInt8]] {
        var splitter = H264.AnnexBSplitter()
        splitter.push(file)
        var units: [[UInt8]] = []
        while let unit = splitter.next() { units.append(unit) }
        if let last = splitter.flush() { units.append(last) }
        return units
    }

    @Test(
        .enabled(if: SharedData.isPresent, "needs ../shared/data"),
        arguments: ["BA1_FT_C.264", "CI1_FT_B.264", "MIDR_MW_D.264", "MPS_MW_A.264", "LS_SVA_D.264"])
    func everyNALUnitOfAConformanceStreamArrivesInOrder(name: String) throws {
        let units = nalUnits(of: try #require(SharedData.bytes("h264/\(name)")))
        #expect(units.count > 10)
        for packetBytes in [128, 1400] {
            let packager = packager(maximumPacketBytes: packetBytes)
            var rewriter = HeaderRewriter.forTests()
            var depacketizer = H264Depacketizer()
            var received: [[UInt8]] = []
            // Eight NAL units at a time: this test compares bytes, not picture boundaries.
            for start in stride(from: 0, to: units.count, by: 8) {
                let group = Array(units[start..<min(start + 8, units.count)])
                let run = try #require(packager.package(accessUnit(group, ticks: Int64(start))))
                for datagram in run.datagrams(&rewriter) { depacketizer.push(datagram: datagram) }
                while let unit = depacketizer.next() { received += unit.contents }
            }
            #expect(received == units)
            #expect(depacketizer.counts == DepacketizerCounts())
        }
    }
}
