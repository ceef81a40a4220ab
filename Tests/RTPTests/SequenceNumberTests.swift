import RTP
import Testing

@Suite struct SequenceNumberTests {
    @Test(
        arguments: [
            (1, 0, 1), (0, 1, -1), (0, 65_535, 1), (65_535, 0, -1), (5, 65_530, 11), (32_767, 0, 32_767),
            (32_768, 0, -32_768), (7, 7, 0),
        ] as [(UInt16, UInt16, Int)])
    func distancesWrap(to: UInt16, from: UInt16, distance: Int) {
        #expect(SequenceNumber(to).distance(from: SequenceNumber(from)) == distance)
        #expect(SequenceNumber(to).isNewer(than: SequenceNumber(from)) == (distance > 0))
        #expect(SequenceNumber(from).advanced(by: distance) == SequenceNumber(to))
    }
}
