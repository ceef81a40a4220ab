import Fuzzing
import Media
import RTP
import Wire

/// Packets of RTCP in reduced size are the same after writing and reading them. The feedback about a publisher's packets is bounded,
/// tells each packet once, and is read as it was written.
@Sendable func fuzzFeedback(_ input: [UInt8]) {
    if let compound = try? Compound(parsing: input.rawSpan, allowsReducedSize: true), !compound.packets.isEmpty {
        let written = compound.encoded()
        require(written.count % 4 == 0, "packets are whole words")
        let again = try? Compound(parsing: written.rawSpan, allowsReducedSize: true)
        require(again == compound, "packets read the same when written")
    }
    checkArrivals(input)
}

private func checkArrivals(_ input: [UInt8]) {
    var script = Script(input)
    var (arrivals, now) = (TransportArrivals(), MonotonicTime(nanoseconds: 0))
    var (number, end) = (SequenceNumber(script.uint16()), SequenceNumber?.none)
    while !script.isAtEnd {
        let step = Int(Int8(bitPattern: script.byte()))
        // Sometimes a jump.
        number = number.advanced(by: step == -128 ? 2_000 : step)
        now = now + Int64(script.byte()) * 250_000
        arrivals.received(number, at: now)
        guard let feedback = arrivals.takeFeedback(at: now) else { continue }
        require((1...512).contains(feedback.arrivals.count), "a message is bounded")
        require(feedback.arrivals.contains { $0 != nil }, "a message tells an arrival")
        require(end.map { feedback.base.distance(from: $0) >= 0 } ?? true, "a packet is told once")
        end = feedback.base.advanced(by: feedback.arrivals.count)
        let compound = Compound([
            .feedback(Feedback(sender: SSRC(1), request: .transportWide(media: SSRC(2), feedback)))
        ])
        let again = try? Compound(parsing: compound.encoded().rawSpan, allowsReducedSize: true)
        require(again == compound, "a message is read as it was written")
    }
}
