import SDP

/// The parts of an answer that do not depend on who sends.
struct AnswerWriter {
    let offer: Offer
    let parameters: AnswerParameters
    /// The index of the medium whose transport is that of all media, so that it contains the candidates.
    private let transport: Int

    /// - Parameter accepted: the indices of the media that are accepted, at least one.
    init(offer: Offer, accepted: [Int], _ parameters: AnswerParameters) {
        (self.offer, self.parameters) = (offer, parameters)
        let first = accepted.min() ?? 0
        // A browser that offers one transport has it at the first medium of the bundle. Chromium refuses an answer that rejects that, so
        // it stays in the bundle even if nothing is sent over it.
        transport =
            offer.media.indices.first { offer.areBundled(offer.media[$0], offer.media[first]) }
            .flatMap { $0 < first && offer.media[$0].canBeInactive ? $0 : nil } ?? first
    }

    /// The answer with these media; media of the offer without one are rejected.
    ///
    /// - Parameter accepted: by the index of the offered medium.
    func description(_ accepted: [Int: MediaDescription]) -> SessionDescription {
        var accepted = accepted
        if accepted[transport] == nil { accepted[transport] = inactive() }
        // A rejected medium must not be in the bundle: Firefox plays nothing then.
        let bundle = accepted.keys.sorted().compactMap { offer.media[$0].mid }
        var attributes: [Attribute] = []
        if !bundle.isEmpty {
            attributes.append(Attribute("group", (["BUNDLE"] + bundle).joined(separator: " ")))
        }
        attributes += [
            Attribute("ice-lite"), Attribute("msid-semantic", " WMS \(parameters.streamName)"),
        ]
        var media: [MediaDescription] = []
        for (index, offered) in offer.media.enumerated() { media.append(accepted[index] ?? rejection(of: offered)) }
        return SessionDescription(
            origin: .init(sessionID: parameters.sessionID >> 1, version: 1, address: "0.0.0.0"),
            attributes: attributes, media: media)
    }

    /// An accepted medium up to its formats.
    ///
    /// - Parameter index: that of the offered medium.
    func media(
        _ index: Int, format: OfferedFormat, retransmission: UInt8?, direction: String,
        extensions: ExtensionIdentifiers?
    ) -> MediaDescription {
        let offered = offer.media[index]
        var media = MediaDescription(
            // The port is that of the candidates (RFC 8840, section 4.1.1).
            kind: offered.kindName, port: 9, transport: offered.line.transport,
            formats: ["\(format.payloadType)"] + (retransmission.map { ["\($0)"] } ?? []),
            connection: .unspecified(.ipv4))
        if index == transport {
            media.attributes += parameters.candidates.map { Attribute("candidate", $0.attributeValue) }
            media.attributes.append(Attribute("end-of-candidates"))
        }
        media.attributes += transportAttributes(of: offered)
        media.attributes += extensions?.attributes ?? []
        media.attributes.append(Attribute(direction))
        media.attributes.append(Attribute("rtcp-mux"))
        if offered.reducesReports { media.attributes.append(Attribute("rtcp-rsize")) }
        if offered.reportsReceiverTime { media.attributes.append(Attribute("rtcp-xr", "rcvr-rtt=all")) }
        return media
    }

    /// The lines of the transport, and the name of the medium.
    private func transportAttributes(of offered: OfferedMedia) -> [Attribute] {
        [
            Attribute("ice-ufrag", parameters.credentials.userFragment),
            Attribute("ice-pwd", parameters.credentials.password),
            Attribute("fingerprint", parameters.fingerprint.attributeValue), Attribute("setup", offer.role.setup),
        ] + (offered.mid.map { [Attribute("mid", $0)] } ?? [])
    }

    /// The rejection of a medium. aiortc wants to read a transport and a format even there.
    private func rejection(of offered: OfferedMedia) -> MediaDescription {
        var rejection = offered.line
        rejection.attributes = transportAttributes(of: offered) + [Attribute("inactive")]
        if offered.multiplexesReports { rejection.attributes.append(Attribute("rtcp-mux")) }
        if let format = offered.formats.first {
            rejection.formats = ["\(format.payloadType)"]
            rejection.attributes += attributes(of: format, parameters: format.parameters.text, feedback: [])
        }
        return rejection
    }

    /// A medium that only carries the transport.
    private func inactive() -> MediaDescription {
        let format = offer.media[transport].formats[0]
        var media = media(transport, format: format, retransmission: nil, direction: "inactive", extensions: nil)
        media.attributes += attributes(of: format, parameters: format.parameters.text, feedback: [])
        return media
    }

    /// The lines about a payload type.
    ///
    /// - Parameter feedback: what both sides know.
    func attributes(of format: OfferedFormat, parameters text: String, feedback: [String]) -> [Attribute] {
        let type = format.payloadType
        var attributes = [Attribute("rtpmap", format.map.value)]
        attributes += feedback.map { Attribute("rtcp-fb", "\(type) \($0)") }
        if !text.isEmpty { attributes.append(Attribute("fmtp", "\(type) \(text)")) }
        return attributes
    }

    /// The lines about the payload type of the packets of a format that are sent again (RFC 4588, section 8).
    func attributes(ofRetransmission type: UInt8, of format: OfferedFormat) -> [Attribute] {
        [
            Attribute("rtpmap", "\(type) rtx/\(format.map.clockRate)"),
            Attribute("fmtp", "\(type) apt=\(format.payloadType)"),
        ]
    }
}
