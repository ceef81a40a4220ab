import Fuzzing
import HTTP

/// Properties of URLs and of the headers that name hosts: a path stays in its folder; hosts and origins are the same after writing and
/// reading them again; a proxy states an address.
@Sendable func fuzzHTTPText(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let target = RequestTarget(text) { check(target) }
    if let authority = Authority(text) {
        require(Authority(authority.description) == authority, "\(authority) reads the same")
        require(authority.host == authority.host.lowercased() && !authority.host.isEmpty, "hosts are in lower case")
    }
    if let origin = Origin(text) { require(Origin(origin.description) == origin, "\(origin) reads the same") }
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
