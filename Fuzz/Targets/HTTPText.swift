import HTTP

/// Properties of the texts in requests: a path stays in its folder; what was read is the same after writing and reading it again;
/// a range lies in the body.
@Sendable func fuzzHTTPText(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let target = RequestTarget(text) { check(target) }
    if let query = Query(text) {
        require(Set(query.parameters.map(\.name)).count == query.parameters.count, "names are unique")
        require(query.parameters.allSatisfy { query[$0.name] == $0.value }, "each value has its name")
    }
    if let authority = Authority(text) {
        require(Authority(authority.description) == authority, "\(authority) reads the same")
        require(authority.host == authority.host.lowercased() && !authority.host.isEmpty, "hosts are in lower case")
    }
    if let origin = Origin(text) { require(Origin(origin.description) == origin, "\(origin) reads the same") }
    for pair in Cookies([text]).pairs {
        require(
            Cookies(["\(pair.name)=\(pair.value)"]).values(of: pair.name) == [pair.value], "a cookie reads the same")
    }
    for byteCount in [0, 1, 1_000, Int.max] {
        guard case .part(let part) = RequestedRange([text], of: byteCount) else { continue }
        require(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= byteCount, "a range lies in the body")
    }
    let forwarding = Forwarding(
        forwarded: [text], xForwardedFor: [text], xForwardedProto: [text], via: [])
    require(forwarding.isMentioned, "a proxy is mentioned")
    if let client = forwarding.client(isTrusted: { _ in false }) {
        require(Authority(client.utf8.contains(UInt8(ascii: ":")) ? "[\(client)]" : client) != nil, "it is an address")
    }
}

private func check(_ target: RequestTarget) {
    require(RequestTarget(target.text)?.path == target.path, "the origin form has the same path")
    require(target.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash")
    require(!target.parts.contains { $0 == ".." || $0 == "." }, "a path stays in its folder")
    require(target.parts.dropLast().allSatisfy { !$0.isEmpty }, "a path has no empty part")
    require(target.path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }, "a path is a line")
}
