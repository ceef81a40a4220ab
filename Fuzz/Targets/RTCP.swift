import Media
import Wire

@testable import RTP

/// What was read is written so that it reads the same; a header that is read lies inside its packet; a time of capture in one is read
/// as it was written.
@Sendable func fuzzRTCP(_ input: [UInt8]) {
    if let (header, payload) = Header.parse(input.rawSpan) {
        law(payload.lowerBound >= 12 && payload.upperBound <= input.count, "a payload lies inside its packet")
        check(header)
    }
    let compound: Compound
    do throws(Compound.Damage) {
        compound = try Compound(parsing: input.rawSpan)
    } catch {
        return
    }
    let written = compound.encoded()
    law(written.count % 4 == 0, "packets are whole words")
    do throws(Compound.Damage) {
        let again = try Compound(parsing: written.rawSpan)
        law(again == compound, "a compound reads the same when written")
    } catch {
        law(false, "a compound that is written can be read: \(error)")
    }
}

private func check(_ header: Header) {
    var writer = ByteWriter(capacity: 64)
    header.write(to: &writer)
    law(Header.parse(writer.bytes.rawSpan)?.header == header, "a header reads the same when written")
    for identifier in UInt8(1)...14 {
        guard let time = AbsoluteCaptureTime.time(in: header, identifier: identifier) else { continue }
        checkJourney(of: time)
    }
}

/// A time of capture is what was written into a packet of ours.
private func checkJourney(of time: NTPTime) {
    let (start, first, second, third) = AbsoluteCaptureTime.words(time)
    var writer = ByteWriter(capacity: 12)
    for word in [first, second, third] { writer.uint32(word) }
    var header = Header(
        payloadType: PayloadType(lowBitsOf: 96), isMarked: false, sequenceNumber: SequenceNumber(1), timestamp: 0,
        ssrc: SSRC(1))
    header.headerExtension = .init(profile: UInt16(start >> 16), data: writer.bytes)
    let read = AbsoluteCaptureTime.time(in: header, identifier: AbsoluteCaptureTime.identifier)
    law(read == time, "a time of capture reads the same")
}
