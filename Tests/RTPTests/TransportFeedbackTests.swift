import Media
import RTP
import TestSupport
import Testing
import Wire

@Suite struct TransportFeedbackTests {
    private func feedback(_ body: [UInt8]) throws -> TransportFeedback? {
        let words = UInt16((8 + body.count + 3) / 4)
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let datagram: [UInt8] = [0x8F, 205, UInt8(words >> 8), UInt8(words & 0xFF), 0, 0, 0, 5, 0, 0, 0, 1] + padded
        let compound = try? Compound(parsing: datagram.rawSpan, allowsReducedSize: true)
        guard case .feedback(let feedback)? = compound?.packets.first,
            case .transportWide(_, let transport) = feedback.request
        else { return nil }
        return transport
    }

    /// Chunks of all three kinds, as GStreamer writes them.
    @Test func chunksOfAllKindsAreRead() throws {
        let head: [UInt8] = [0, 10, 0, 20, 0, 0, 1, 7]
        // Three small deltas in a run, a vector of one-bit symbols (two of 14 arrived), a vector of two-bit symbols with a large delta.
        let chunks: [UInt8] = [0x20, 0x03, 0x90, 0x01, 0xE0, 0x00]
        let read = try #require(try feedback(head + chunks + [4, 4, 4, 8, 8, 0xFF, 0xFC]))
        #expect(read.base == SequenceNumber(10) && read.count == 7 && read.arrivals.count == 20)
        let milliseconds = read.arrivals.map { $0.map { Double($0) / 1e6 } }
        #expect(milliseconds[0..<3] == [65, 66, 67])
        #expect(milliseconds[3..<17].compactMap(\.self) == [69, 71])
        #expect(milliseconds[17...].compactMap(\.self) == [70])
    }

    @Test func everyFeedbackThatIsWrittenIsRead() throws {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<300 {
            var time: Int64 = .random(in: -1_000_000...1_000_000, using: &generator)
            let arrivals = (0..<Int.random(in: 1...500, using: &generator)).map { _ -> Int64? in
                time += .random(in: -100...600, using: &generator)
                return Bool.random(using: &generator) ? time * 250_000 : nil
            }
            let sent = TransportFeedback(
                base: SequenceNumber(.random(in: 0...UInt16.max, using: &generator)), arrivals: arrivals, count: 9)
            let compound = Compound([
                .feedback(Feedback(sender: SSRC(1), request: .transportWide(media: SSRC(2), sent)))
            ])
            #expect(try Compound(parsing: compound.encoded().rawSpan, allowsReducedSize: true) == compound)
        }
    }

    /// libwebrtc declares the bytes that fill the last word as padding, and sends other packets behind it.
    @Test(arguments: 1...4)
    func declaredPaddingOfSingleBytesIsNotRead(count: Int) throws {
        // A run of small deltas of 1 ms.
        let body = [0, 1, 0, UInt8(count), 0, 0, 1, 7, 0x20, UInt8(count)] + [UInt8](repeating: 4, count: count)
        let padding = (4 - body.count % 4) % 4
        let padded = body + (0..<padding).map { $0 == padding - 1 ? UInt8(padding) : 0 }
        let head: [UInt8] = [
            padding > 0 ? 0xAF : 0x8F, 205, 0, UInt8((8 + padded.count) / 4), 0, 0, 0, 5, 0, 0, 0, 1,
        ]
        let goodbye: [UInt8] = [0x81, 203, 0, 1, 0, 0, 0, 5]
        let read = try Compound(parsing: (head + padded + goodbye).rawSpan, allowsReducedSize: true)
        let expected = TransportFeedback(
            base: SequenceNumber(1), arrivals: (1...count).map { 64_000_000 + Int64($0) * 1_000_000 }, count: 7)
        #expect(
            read.packets == [
                .feedback(Feedback(sender: SSRC(5), request: .transportWide(media: SSRC(1), expected))),
                .goodbye(Goodbye(sources: [SSRC(5)])),
            ])
    }

    @Test func onlyTheFirstMessageOfADatagramIsRead() throws {
        let message = ControlPacket.feedback(
            Feedback(
                sender: SSRC(1),
                request: .transportWide(
                    media: SSRC(2), TransportFeedback(base: SequenceNumber(1), arrivals: [0, nil], count: 0))))
        let goodbye = ControlPacket.goodbye(Goodbye(sources: [SSRC(1)]))
        let compound = Compound([message, message, goodbye, message])
        let read = try Compound(parsing: compound.encoded().rawSpan, allowsReducedSize: true)
        #expect(read.packets == [message, goodbye])
    }

    @Test(
        arguments: [
            [], [0, 1], [0, 1, 0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0x20, 1, 4],
            // A reserved symbol, an empty run, more packets than are read, a delta that is missing.
            [0, 1, 0, 1, 0, 0, 0, 0, 0x60, 1], [0, 1, 0, 1, 0, 0, 0, 0, 0x20, 0, 4, 4],
            [0, 1, 0xFF, 0xFF, 0, 0, 0, 0, 0x1F, 0xFF, 0x1F, 0xFF], [0, 1, 0, 9, 0, 0, 0, 0, 0x20, 9, 4, 4],
        ] as [[UInt8]])
    func malformedFeedbackIsRefused(body: [UInt8]) throws {
        #expect(try feedback(body) == nil)
    }
}
