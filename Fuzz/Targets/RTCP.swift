import Media
import Wire

@testable import RTP

/// What was read is written so that it reads the same, and what a participant says regularly, too; a header that is read lies inside
/// its packet; a time of capture in one is read as it was written.
@Sendable func fuzzRTCP(_ input: [UInt8]) {
    if let (header, payload) = Header.parse(input.rawSpan) {
        require(payload.lowerBound >= 12 && payload.upperBound <= input.count, "a payload lies inside its packet")
        check(header)
    }
    guard let compound = read(input) else { return }
    checkWritten(compound)
    let name = String(decoding: input.prefix(64), as: UTF8.self)
    for packet in compound.packets {
        switch packet {
        case .senderReport(let report):
            checkRoundTrips(in: report.blocks)
            let goodbye = Goodbye(sources: [report.ssrc], reason: name)
            checkRegular(Compound(report: report, canonicalName: name, goodbye: goodbye), of: report.ssrc, name)
        case .receiverReport(let report):
            checkRoundTrips(in: report.blocks)
            let requests = compound.packets.compactMap { if case .feedback(let request) = $0 { request } else { nil } }
            let goodbye = Goodbye(sources: [report.ssrc])
            checkRegular(
                Compound(report: report, canonicalName: name, feedback: requests, goodbye: goodbye), of: report.ssrc,
                name)
        case .sourceDescription, .goodbye, .feedback: break
        }
    }
}

/// What a datagram says; `nil` if it is damaged.
private func read(_ datagram: [UInt8]) -> Compound? {
    try? Compound(parsing: datagram.rawSpan)
}

private func checkWritten(_ compound: Compound) {
    let written = compound.encoded()
    require(written.count % 4 == 0, "packets are whole words")
    require(read(written) == compound, "a compound reads the same when written")
}

/// What a participant says regularly names it.
private func checkRegular(_ compound: Compound, of ssrc: SSRC, _ name: String) {
    checkWritten(compound)
    let names = compound.packets.compactMap { packet in
        if case .sourceDescription(let description) = packet { description.canonicalName(of: ssrc) } else { nil }
    }
    require(names == [name], "a participant says its name")
}

/// A block that comes back as soon as it was sent has been under way for no time.
private func checkRoundTrips(in blocks: [ReportBlock]) {
    for block in blocks {
        let sent = NTPTime(rawValue: UInt64(block.lastSenderReport &+ block.delaySinceLastSenderReport) << 16)
        let expected: Int64? = block.lastSenderReport == 0 ? nil : 0
        require(block.roundTripNanoseconds(now: sent) == expected, "there and back takes what is left of the time")
    }
}

private func check(_ header: Header) {
    var writer = ByteWriter(capacity: 64)
    header.write(to: &writer)
    require(Header.parse(writer.bytes.rawSpan)?.header == header, "a header reads the same when written")
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
    require(read == time, "a time of capture reads the same")
}
