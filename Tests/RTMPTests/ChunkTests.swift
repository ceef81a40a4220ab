import RTMP
import TestSupport
import Testing

@Suite struct ChunkTests {
    private let video = Message(.video, streamID: 1, timestamp: 40, payload: (0..<300).map { UInt8($0 & 0xFF) })
    private let audio = Message(.audio, streamID: 1, timestamp: 0x0100_0000, payload: (0..<200).map { UInt8($0) })

    @Test func messagesAreReadAsTheyWereWritten() {
        for size in [1, 2, 127, 128, 129, 300, 65_536] {
            var writer = ChunkWriter()
            let setSize = ControlMessage.setChunkSize(byteCount: UInt32(size)).message
            var bytes = writer.bytes(of: setSize, on: .control)
            writer.chunkByteCount = size
            bytes += writer.bytes(of: video, on: .video) + writer.bytes(of: audio, on: .audio)
            bytes += writer.bytes(of: Message(.audio, payload: []), on: .audio)
            let read = chunked([bytes])
            #expect(read.messages == [video, audio, Message(.audio, payload: [])], "\(size)")
            #expect(read.error == nil)
        }
    }

    @Test func anySplitGivesTheSameMessages() {
        let writer = ChunkWriter()
        let bytes = writer.bytes(of: video, on: .video) + writer.bytes(of: audio, on: .audio)
        for split in 0...bytes.count {
            let read = chunked([Array(bytes[..<split]), Array(bytes[split...])])
            #expect(read.messages == [video, audio], "split at \(split)")
        }
        #expect(chunked(bytes.map { [$0] }).messages == [video, audio])
    }

    @Test func theExampleOfTheSpecificationIsRead() {
        // Adobe's RTMP specification, section 5.3.2.1: audio of 32 bytes every 20 ms, from 1000 ms on.
        let payload = [UInt8](repeating: 7, count: 32)
        let first = bytes("03 0003e8 000020 08 39300000") + payload
        let second = bytes("83 000014") + payload
        let third = [0xC3] + payload
        let read = chunked([first + second + third + third])
        #expect(read.messages.map(\.timestamp) == [1000, 1020, 1040, 1060])
        #expect(read.messages.allSatisfy { $0.streamID == 12345 && $0.type == .audio && $0.payload == payload })
    }

    @Test func aMessageWithoutFieldsBehindOneWithAllAddsItsTime() {
        let read = chunked([bytes("03 000017 000001 08 01000000 AA  C3 BB")])
        #expect(read.messages.map(\.timestamp) == [23, 46])
    }

    @Test func chunksOfTwoMessagesMayAlternate() {
        let body = [UInt8](repeating: 1, count: 128)
        let head = bytes("06 000000 000090 09 01000000") + body
        let other = bytes("04 000000 000002 08 01000000 0506")
        let read = chunked([head + other + [0xC6] + [UInt8](repeating: 2, count: 16)])
        #expect(read.messages.map(\.type) == [.audio, .video])
        #expect(read.messages.last?.payload == body + [UInt8](repeating: 2, count: 16))
    }

    @Test func longChunkStreamIdentifiersAreRead() {
        for header in ["00 40", "01 00 00", "01 ff ff"] {
            let read = chunked([bytes(header + "000001 000001 08 01000000 AA")])
            #expect(read.messages.count == 1, "\(header)")
        }
    }

    @Test func extendedTimestampsRepeatOrAreLeftOut() {
        let body = [UInt8](repeating: 3, count: 130)
        let head = bytes("06 ffffff 000082 09 01000000 01000000") + body.prefix(128)
        let repeated = chunked([head + bytes("C6 01000000") + body.suffix(2)])
        #expect(repeated.messages == [Message(.video, streamID: 1, timestamp: 0x0100_0000, payload: body)])
        // Some encoders leave it out. Four more bytes are needed to know.
        let next = bytes("02 000000 000004 05 00000000 002625a0")
        let leftOut = chunked([head + bytes("C6") + body.suffix(2) + next])
        #expect(leftOut.messages.first == Message(.video, streamID: 1, timestamp: 0x0100_0000, payload: body))
    }

    @Test func timestampsWrap() {
        let read = chunked([bytes("04 ffffff 000001 08 01000000 fffffff0 AA  84 000020 BB")])
        #expect(read.messages.map(\.timestamp) == [0xFFFF_FFF0, 0x10])
    }

    @Test func anAbortedMessageIsDropped() {
        let head = bytes("06 000000 000090 09 01000000") + [UInt8](repeating: 1, count: 128)
        let abort = bytes("02 000000 000004 02 00000000 00000006")
        let read = chunked([head + abort + bytes("06 000001 000001 09 01000000 AA")])
        #expect(read.messages == [Message(.video, streamID: 1, timestamp: 1, payload: [0xAA])])
    }

    @Test func limitsAreErrors() {
        var limits = ChunkReader.Limits()
        limits.messageByteCount = 1000
        limits.chunkStreamCount = 2
        limits.partialByteCount = 300
        let long = chunked([bytes("06 000000 0003e9 09 01000000")], limits: limits)
        #expect(long.error == .messageTooLong(byteCount: 1001, limit: 1000))
        let streams = chunked([bytes("03 000000 000000 09 01000000 04 000000 000000 09 01000000 05")], limits: limits)
        #expect(streams.error == nil)
        let third = bytes("03 000000 000000 09 01000000 04 000000 000000 09 01000000 05 000000 000000 09 01000000")
        #expect(chunked([third], limits: limits).error == .tooManyChunkStreams(limit: 2))
        let part = [UInt8](repeating: 0, count: 128)
        let partial = bytes("06 000000 000200 09 01000000") + part + [0xC6] + part + [0xC6] + part
        #expect(chunked([partial], limits: limits).error == .tooManyPartialBytes(limit: 300))
        #expect(chunked([[0xC6]]).error == .chunkWithoutBeginning(chunkStream: 6))
        for size in ["00000000", "80000000"] {
            let read = chunked([bytes("02 000000 000004 01 00000000" + size)])
            #expect(read.error == .invalidChunkSize(size == "00000000" ? 0 : 0x8000_0000))
        }
        #expect(chunked([bytes("02 000000 000002 01 00000000 0000")]).error == .truncatedMessage(.setChunkSize))
    }
}
