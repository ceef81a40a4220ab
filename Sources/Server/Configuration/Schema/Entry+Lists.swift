import RTSP
import Yams

// Lists of values of one kind.

extension Entry {
    static func blocks(
        _ key: String, _ member: WritableKeyPath<Section, [AddressBlock]>, _ reason: String
    ) -> Self {
        list(
            key, member, of: "address, or network such as 192.168.1.0/24", reason, parse: { AddressBlock($0) },
            show: \.description, advice: adviceForHostInNetwork)
    }

    static func patterns(
        _ key: String, _ member: WritableKeyPath<Section, [PathPattern]>, _ reason: String
    ) -> Self {
        list(
            key, member, of: "path, yard/* for all that begin with yard/, or \"*\" for all", reason,
            parse: { PathPattern($0) }, show: \.description)
    }

    /// A list of values of one kind. A single value stands for a list of one.
    static func list<Value>(
        _ key: String, _ member: WritableKeyPath<Section, [Value]>, of item: String, maximumCount: Int = 64,
        _ reason: String,
        parse: @escaping (String) -> Value?, show: @escaping (Value) -> String,
        advice: @escaping (String) -> String? = { _ in nil }, naming: @escaping (Node) -> String = \.kind
    ) -> Self {
        let expectation =
            "a list of at most \(maximumCount), each \(item.first.map { "aeiou".contains($0) } == true ? "an" : "a") \(item)"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                let items: [Node]
                switch node {
                case .sequence(let sequence) where sequence.count <= maximumCount: items = Array(sequence)
                case .scalar where !node.isNothing: items = [node]
                default: return reading.note("expects \(expectation), not \(node.kind)", at: node, path)
                }
                section[keyPath: member] = items.compactMap { item in
                    guard case .scalar(let scalar) = item, scalar.anchor == nil else {
                        reading.note("expects \(expectation), not \(item.kind)", at: item, path)
                        return nil
                    }
                    if let value = parse(scalar.string) { return value }
                    let hint = advice(scalar.string).map { "; \($0)" } ?? ""
                    reading.note("expects \(expectation), not \(naming(item))\(hint)", at: item, path)
                    return nil
                }
            },
            content: .option(
                OptionText(expectation: expectation, reason: reason) { section in
                    "[\(section[keyPath: member].map { quoted(show($0)) }.joined(separator: ", "))]"
                }))
    }
}

/// What to write instead of `192.168.1.7/24`, in which the address is that of a host; `nil` for other text.
private func adviceForHostInNetwork(_ text: String) -> String? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(parts[0]), let length = UInt8(parts[1]) else { return nil }
    let network: IPAddress
    switch address {
    case .ipv4(let bits) where length <= 32: network = .ipv4(bits & ~(UInt32.max >> UInt32(length)))
    case .ipv6(let bits) where length <= 128: network = .ipv6(bits & ~(UInt128.max >> UInt128(length)))
    default: return "the number after the / is at most \(address.bitCount)"
    }
    return "write \(network)/\(length) for the network, or \(address) for the one address"
}

extension IPAddress {
    fileprivate var bitCount: Int {
        switch self {
        case .ipv4: 32
        case .ipv6: 128
        }
    }
}
