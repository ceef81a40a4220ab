extension Transport {
    /// Reads one specification; `nil` if it is not RTP over UDP or TCP, or if ports or channels are invalid.
    ///
    /// Unknown parameters are ignored, and so are invalid values of `ssrc` and `ttl`: one camera writes `ssrc= d6d6627`, others
    /// write the number in decimal.
    init?(_ text: Substring) {
        var parameters = text.pieces(separatedBy: ";")[...]
        guard let protocols = parameters.popFirst()?.pieces(separatedBy: "/"), (2...3).contains(protocols.count),
            protocols[1].isToken, let lower = Self.lowerTransport(protocols.dropFirst(2).first)
        else { return nil }
        self.init(lower, .unicast)
        profile = "\(protocols[0].uppercased())/\(protocols[1].uppercased())"
        guard protocols[0].equalsIgnoringCase("RTP") || profile == Self.transportStreamProfile else { return nil }
        var statedDelivery: Delivery?
        for parameter in parameters {
            if parameter.equalsIgnoringCase("unicast") {
                statedDelivery = .unicast
            } else if parameter.equalsIgnoringCase("multicast") {
                statedDelivery = .multicast
            } else if let (name, value) = parameter.halves(around: "=") {
                guard read(name, value.unquoted) else { return nil }
            }
        }
        delivery = statedDelivery ?? impliedDelivery
    }

    /// The delivery if the specification names none. The RFC implies multicast, but with unicast ports or TCP it must be unicast.
    private var impliedDelivery: Delivery {
        lowerTransport == .udp && clientPorts == nil && serverPorts == nil ? .multicast : .unicast
    }

    private static func lowerTransport(_ text: Substring?) -> LowerTransport? {
        guard let text else { return .udp }
        if text.equalsIgnoringCase("UDP") { return .udp }
        return text.equalsIgnoringCase("TCP") ? .tcp : nil
    }

    /// Reads one `name=value`; false if it makes the specification unusable.
    private mutating func read(_ name: Substring, _ value: Substring) -> Bool {
        switch name.lowercased() {
        case "interleaved":
            interleaved = Self.pair(value, as: UInt8.self).map { ChannelPair(rtp: $0, rtcp: $1) }
            return interleaved != nil
        case "client_port":
            clientPorts = Self.ports(value)
            return clientPorts != nil
        case "server_port":
            serverPorts = Self.ports(value)
            return serverPorts != nil
        case "port":
            ports = Self.ports(value)
            return ports != nil
        case "destination":
            destination = value.isEmpty ? nil : String(value)
            return value.utf8.allSatisfy(\.isAddressByte)
        case "source": source = !value.isEmpty && value.utf8.allSatisfy(\.isAddressByte) ? String(value) : nil
        case "ttl": timeToLive = value.decimal(maximumDigits: 3).flatMap(UInt8.init(exactly:))
        case "ssrc": ssrc = UInt32(value, radix: 16)
        case "mode": return readMode(value)
        default: break
        }
        return true
    }

    private mutating func readMode(_ value: Substring) -> Bool {
        if value.equalsIgnoringCase("play") { mode = .play }
        if value.equalsIgnoringCase("record") || value.equalsIgnoringCase("receive") { mode = .record }
        return mode != nil
    }

    private static func ports(_ text: Substring) -> PortPair? {
        pair(text, as: UInt16.self).map { PortPair(rtp: $0, rtcp: $1) }
    }

    /// Reads `a-b`, or `a`, which means a and a + 1.
    private static func pair<Number: FixedWidthInteger>(_ text: Substring, as: Number.Type) -> (Number, Number)? {
        let (first, second) = text.halves(around: "-") ?? (text, "")
        guard let low = first.decimal(maximumDigits: 5).flatMap(Number.init(exactly:)) else { return nil }
        guard second.isEmpty else {
            return second.decimal(maximumDigits: 5).flatMap(Number.init(exactly:)).map { (low, $0) }
        }
        return low == .max ? nil : (low, low + 1)
    }

    /// The specification without blanks and empty parameters, in the order in which RFC 2326 shows them.
    public var headerValue: String {
        var parts = [
            lowerTransport == .tcp ? "\(profile)/TCP" : profile,
            delivery == .unicast ? "unicast" : "multicast",
        ]
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { parts.append("\(name)=\(value)") }
        }
        add("destination", destination)
        add("source", source)
        add("interleaved", interleaved.map { "\($0.rtp)-\($0.rtcp)" })
        add("port", ports.map { "\($0.rtp)-\($0.rtcp)" })
        add("ttl", timeToLive.map(String.init))
        add("client_port", clientPorts.map { "\($0.rtp)-\($0.rtcp)" })
        add("server_port", serverPorts.map { "\($0.rtp)-\($0.rtcp)" })
        add("ssrc", ssrc.map { Digits.hexadecimal($0, count: 8) })
        add("mode", mode.map { $0 == .play ? "play" : "record" })
        return parts.joined(separator: ";")
    }
}
