import Fuzzing
import Media
import RTP
import SDP
import WebRTC

/// An offer is answered or refused with a reason. An answer has the media of the offer in their order, reads the same when written,
/// and accepts only what was offered.
@Sendable func fuzzOffers(_ input: [UInt8]) {
    let offer: Offer
    do throws(OfferError) {
        offer = try Offer(parsing: input)
    } catch {
        require(!error.description.isEmpty && (400..<500).contains(error.status), "a refusal has a reason")
        return
    }
    for tracks in streams {
        do throws(OfferError) {
            let answer = try PlaybackAnswer(to: offer, tracks: tracks, sources: (1...4).map { SSRC($0) }, parameters)
            require((1...2).contains(answer.tracks.count), "one track of each kind is sent")
            require(Set(answer.tracks.map(\.ssrc)).count == answer.tracks.count, "sources differ")
            check(answer.description, to: offer, accepted: answer.tracks.count)
        } catch {
            require(!error.description.isEmpty && error.status == 422, "a refusal has a reason")
        }
    }
    do throws(OfferError) {
        let answer = try PublishingAnswer(to: offer, parameters)
        check(answer.description, to: offer, accepted: answer.tracks.count)
    } catch {
        require(!error.description.isEmpty && error.status == 422, "a refusal has a reason")
    }
}

private func check(_ answer: SessionDescription, to offer: Offer, accepted: Int) {
    require(answer.media.count == offer.media.count, "an answer has the media of the offer")
    let sent = answer.media.filter { $0.port != 0 && !$0.attributes.contains("inactive") }
    require(sent.count == accepted, "what is not sent is rejected or inactive")
    for (answered, offered) in zip(answer.media, offer.media) where answered.port != 0 {
        let type = answered.formats[0]
        require(offered.formats.contains { "\($0.payloadType)" == type }, "an answered format was offered")
        require(answered.extensionMaps.allSatisfy { offered.extensions.contains($0) }, "extensions were offered")
        require(answered.attributes.value(of: "mid") == offered.mid, "a medium keeps its name")
    }
    // A replacement character takes three bytes, so that a text with invalid UTF-8 may exceed the limit.
    guard let again = try? SessionDescription(parsing: answer.text) else {
        return require(answer.text.utf8.count > SessionDescription.byteLimit, "a written answer is read")
    }
    require(again.media.count == answer.media.count, "no value begins a line")
}

private let parameters = AnswerParameters(
    credentials: ICECredentials(random: [UInt8](repeating: 1, count: ICECredentials.randomByteCount)),
    fingerprint: DTLSFingerprint(sha256: [UInt8](repeating: 2, count: 32)),
    candidates: [ICECandidate(.udp, address: "192.0.2.1", port: 8_189)], sessionID: 3)

private let streams: [[Track]] = [
    [track([0x64, 0, 0x1F]), Track(id: TrackID(1), format: .opus(channelCount: 2))].compactMap(\.self),
    [track([0x42, 0xC0, 0x1F])].compactMap(\.self),
    [Track(id: TrackID(0), format: .opus(channelCount: 1))], [],
]

private func track(_ profile: [UInt8]) -> Track? {
    H264.ParameterSets(sequence: [[0x67] + profile], picture: [[0x68, 0xCE]])
        .map { Track(id: TrackID(0), format: .h264($0)) }
}
