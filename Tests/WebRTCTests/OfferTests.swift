import Media
import RTP
import SDP
import Testing

@testable import WebRTC

@Suite struct OfferTests {
    @Test func theOfferOfChromiumIsRead() throws {
        let offer = try Offer(parsing: Samples.offer("chromium-playback"))
        #expect(offer.credentials.userFragment == "zEIU" && offer.role == .server)
        #expect(offer.fingerprints.map(\.algorithm) == [.sha256])
        #expect(offer.media.map(\.kind) == [.video, .audio] && offer.media.map(\.mid) == ["0", "1"])
        let video = offer.media[0]
        #expect(video.direction == .receiveOnly && video.multiplexesReports && video.reducesReports)
        #expect(video.reportsReceiverTime && video.isEncrypted && !video.isDisabled && !video.isSimulcast)
        let profiles = video.formats.filter { $0.isNamed("h264") && $0.allowsFragments }.map(\.h264Profile)
        #expect(profiles == [.baseline, .constrainedBaseline, .main, .predictiveHigh444])
        let first = try #require(video.formats.first { $0.isNamed("h264") })
        #expect(first.payloadType == 102 && first.retransmission == 103)
        #expect(first.feedback == ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"])
        #expect(offer.areBundled(offer.media[0], offer.media[1]))
    }

    @Test func theOfferOfAiortcIsRead() throws {
        let offer = try Offer(parsing: Samples.offer("aiortc-playback"))
        #expect(offer.fingerprints.map(\.algorithm) == [.sha256, .sha384, .sha512])
        #expect(offer.media[0].source == SSRC(3_253_517_448))
    }

    @Test func theSourceOfAGroupIsThatOfTheMedia() throws {
        #expect(try Offer(parsing: Samples.offer("chromium-publishing")).media[0].source == SSRC(2_777_825_414))
    }

    @Test(arguments: [
        ("a=ice-ufrag", "a=ice-ufrag and a=ice-pwd"), ("a=ice-pwd", "a=ice-ufrag and a=ice-pwd"),
        ("a=fingerprint", "a=fingerprint with SHA-256, SHA-384 or SHA-512"),
    ])
    func anOfferWithoutNeededAttributesIsRefused(line: String, missing: String) throws {
        let offer = try Samples.offer("chromium-playback").withoutLines(line)
        #expect(throws: OfferError.missing(missing)) { try Offer(parsing: offer) }
    }

    /// A session keeps the names until its client connects.
    @Test func aMediumWithALongNameIsRefused() throws {
        let offer = try Samples.offer("chromium-playback")
        let name = String(repeating: "m", count: 16)
        #expect(try Offer(parsing: offer.replacing("a=mid:0", by: "a=mid:\(name)")).media[0].mid == name)
        let error = OfferError.attributeTooLong("mid", limit: 16)
        #expect(throws: error) { try Offer(parsing: offer.replacing("a=mid:0", by: "a=mid:\(name)m")) }
        #expect(error.status == 400 && error.description == "the offer has an a=mid of more than 16 bytes")
    }

    @Test func theRoleIsTheOtherOne() throws {
        let offer = try Samples.offer("chromium-playback")
        // FFmpeg offers to wait.
        #expect(try Offer(parsing: offer.replacing("setup:actpass", by: "setup:passive")).role == .client)
        #expect(try Offer(parsing: offer.replacing("setup:actpass", by: "setup:active")).role == .server)
        #expect(try Offer(parsing: offer.withoutLines("a=setup")).role == .server)
        #expect(throws: OfferError.missing("a=setup")) {
            try Offer(parsing: offer.replacing("setup:actpass", by: "setup:holdconn"))
        }
    }

    @Test func aWeakFingerprintIsNone() throws {
        let offer = try Samples.offer("chromium-playback").withoutLines("a=fingerprint")
        let digits = Array(repeating: "AB", count: 20).joined(separator: ":")
        let weak = offer.replacing("a=setup", by: "a=fingerprint:sha-1 \(digits)\r\na=setup")
        #expect(throws: OfferError.self) { try Offer(parsing: weak) }
    }

    @Test func anOversizedOfferIsRefusedBeforeItIsRead() throws {
        let long = try Samples.offer("chromium-playback") + [UInt8](repeating: 0x0A, count: Offer.byteLimit)
        #expect(throws: OfferError.tooLong(byteCount: long.count, limit: Offer.byteLimit)) { try Offer(parsing: long) }
        let medium = "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
        let many = try Samples.offer("chromium-playback") + String(repeating: medium, count: Offer.mediaLimit).utf8
        #expect(throws: OfferError.tooManyMedia(18, limit: Offer.mediaLimit)) { try Offer(parsing: many) }
    }

    /// Whatever is cut off, the rest is an offer or is refused, and an answer to it can be read.
    @Test(arguments: Samples.offers)
    func everyBeginningOfAnOfferIsAnsweredOrRefused(name: String) throws {
        let bytes = try Samples.offer(name)
        var answers = 0
        for count in stride(from: 0, through: bytes.count, by: 7) {
            guard let offer = try? Offer(parsing: Array(bytes[..<count])) else { continue }
            let playback = try? PlaybackAnswer(
                to: offer, tracks: [Samples.h264(0x64001F), Samples.opus], sources: Samples.sources, Samples.parameters)
            let publishing = try? PublishingAnswer(to: offer, Samples.parameters)
            for text in [playback?.text, publishing?.text].compactMap(\.self) {
                #expect(try SessionDescription(parsing: text).media.count == offer.media.count)
                answers += 1
            }
        }
        #expect(answers > 0)
    }

    @Test func fingerprintsAreReadAsTheyAreWritten() {
        let fingerprint = DTLSFingerprint(sha256: (0..<32).map { UInt8($0 * 8) })
        #expect(DTLSFingerprint(fingerprint.attributeValue) == fingerprint)
        #expect(DTLSFingerprint(fingerprint.attributeValue.lowercased()) == fingerprint)
        #expect(DTLSFingerprint(String(fingerprint.attributeValue.dropLast(3))) == nil)
        #expect(DTLSFingerprint(fingerprint.attributeValue.replacing("sha-256", with: "sha-384")) == nil)
        #expect(DTLSFingerprint("sha-256 " + Array(repeating: "+1", count: 32).joined(separator: ":")) == nil)
    }
}
