import Testing
import Wire

@testable import WebRTC

/// RFC 4571, section 2.
@Suite struct FramedDatagramsTests {
    private let datagrams: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 9, count: 300), [7]]

    @Test func datagramsAreFoundAtEverySplit() throws {
        let bytes = datagrams.flatMap { FramedDatagrams.framed($0) }
        for split in 0...bytes.count {
            var framed = FramedDatagrams()
            var found: [[UInt8]] = []
            for piece in [bytes[..<split], bytes[split...]] {
                framed.append(Array(piece).rawSpan)
                while let datagram = try framed.next() { found.append(datagram) }
            }
            #expect(found == datagrams)
        }
    }

    @Test func aDatagramThatIsTooLongIsAnError() throws {
        var framed = FramedDatagrams(byteLimit: 300)
        framed.append([UInt8]([0x01, 0x2C]).rawSpan)
        #expect(try framed.next() == nil)
        framed = FramedDatagrams(byteLimit: 299)
        framed.append([UInt8]([0x01, 0x2C]).rawSpan)
        #expect(throws: FramedDatagrams.DatagramTooLong(byteCount: 300, limit: 299)) { try framed.next() }
    }
}
