import Fuzzing
import Media
import Wire

@testable import RTP

/// RTCP packets are the same after writing and reading them; the payload lies inside its packet; a capture time is read as
/// written.
@Sendable func fuzzRTCP(_ input: [UInt8]) {
    if let (header, payload) = Header.parse(input.rawSpan) {
        require(payload.lowerBound >= 12 && payload.upperBound <= input.count, "a payload lies inside its packet")
        check(header)
    }
    // Of packets of unknown types, nothing is kept that could be written.
    guard let compound = read(input), !compound.packets.isEmpty else { return }
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
        case .sourceDescription, .goodbye, .feedback, .extendedReport: break
        }
    }
}

/// Returns the packets of a datagram; `nil` if it is invalid.
private func read(_ datagram: [UInt8]) -> Compound? {
    try? Compound(parsing: datagram.rawSpan, allowsReducedSize: true)
}

private func checkWritten(_ compound: Compound) {
    let written = compound.encoded()
    require(written.count % 4 == 0, "packets are whole words")
    require(read(written) == compound, "a compound reads the same when written")
}

/// A participant's regular report contains its name.
private func checkRegular(_ compound: Compound, of ssrc: SSRC, _ name: String) {
    checkWritten(compound)
    let names = compound.packets.compactMap { packet in
        if case .sourceDescription(let description) = packet { description.canonicalName(of: ssrc) } else { nil }
    }
    require(names == [name], "a participant says its name")
}

/// A report block that returns at once has a round-trip time of zero.
private func checkRoundTrips(in blocks: [ReportBlock]) {
    for block in blocks {
        let sent = NTPTime(rawValue: UInt64(block.lastSenderReport &+ block.delaySinceLastSenderReport) << 16)
        let expected: Int64? = block.lastSenderReport == 0 ? nil : 0
        require(block.roundTripNanoseconds(now: sent) == expected, "the round-trip time excludes the peer's delay")
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

/// A capture time is read as it was written into a packet.
private func checkJourney(of time: NTPTime) {
    let identifier = HeaderExtension.absoluteCaptureTime.identifier
    var writer = ByteWriter(capacity: 12)
    // One element of eight bytes, and padding to whole words (RFC 8285, section 4.2).
    writer.uint8(identifier << 4 | 7)
    writer.uint64(time.rawValue)
    for _ in 0..<3 { writer.uint8(0) }
    var header = Header(
        payloadType: PayloadType(lowBitsOf: 96), isMarked: false, sequenceNumber: SequenceNumber(1), timestamp: 0,
        ssrc: SSRC(1))
    header.headerExtension = .init(profile: 0xBEDE, data: writer.bytes)
    let read = AbsoluteCaptureTime.time(in: header, identifier: identifier)
    require(read == time, "a time of capture reads the same")
}
