import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

/// The types of frames in pieces of any length.
struct FrameHeadersTests {
    @Test func headersAreFoundInPiecesOfAnyLength() {
        let frames: [(kind: UInt8, byteCount: Int)] = [
            (4, 6), (1, 300), (0, 0), (0x99, 1), (8, 4), (0, 70_000), (6, 8),
        ]
        let bytes =
            [UInt8](repeating: 9, count: FrameHeaders.prefaceByteCount)
            + frames.flatMap {
                HTTP2Client.frame($0.kind, flags: 255, on: 7, [UInt8](repeating: 8, count: $0.byteCount))
            }
        for pieceByteCount in [1, 2, 3, 4, 5, 8, 9, 10, 23, 24, 25, 313, 16_384, bytes.count] {
            var headers = FrameHeaders(after: FrameHeaders.prefaceByteCount)
            var found: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                let piece = bytes[start..<min(start + pieceByteCount, bytes.count)]
                headers.received(ByteBuffer(bytes: piece)) { found.append($0) }
            }
            #expect(found == frames.map(\.kind), "\(pieceByteCount)")
        }
    }
}
