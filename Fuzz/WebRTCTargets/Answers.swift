import Fuzzing
import RTP
import WebRTC

/// A server's answer is used or refused with a reason. Of what is used, each payload type was offered, and candidates are sorted.
@Sendable func fuzzAnswers(_ input: [UInt8]) {
    do throws(AnswerError) {
        let answer = try ReceivedAnswer(parsing: input)
        require(answer.fingerprint.count == 32, "a fingerprint has 32 bytes")
        let priorities = answer.candidates.map(\.priority)
        require(priorities == priorities.sorted(by: >), "the best candidate is the first")
        require(answer.candidates.allSatisfy { $0.port > 0 }, "a candidate has a port")
        let agreement = try PlaybackAgreement(answer, to: offer)
        require((1...2).contains(agreement.tracks.count), "a track of each kind is received")
        require(agreement.description.media.count == agreement.tracks.count, "each track is described")
        for agreed in agreement.tracks {
            let type = "\(agreed.track.description.payloadType)"
            require(offer.description.media.contains { $0.formats.contains(type) }, "a received format was offered")
        }
    } catch {
        require(!error.description.isEmpty, "a refusal has a reason")
    }
}

private let offer = PlaybackOffer(
    credentials: ICECredentials(random: [UInt8](repeating: 1, count: ICECredentials.randomByteCount)),
    fingerprint: DTLSFingerprint(sha256: [UInt8](repeating: 2, count: 32)), sessionID: 3)
