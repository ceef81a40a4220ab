extension Configuration {
    /// What it comes to, for people: one line for the server and one per path.
    public var summary: String {
        let address = server.address.isEmpty ? "all addresses" : server.address
        let lines = servedPaths.sorted { $0.key < $1.key }.map { name, path in
            let group = multicastGroups[name].map { ", multicast \($0)" } ?? ""
            return "/\(name): \(path.source)\(group)"
        }
        return (["port \(server.port) on \(address)"] + lines).map { $0 + "\n" }.joined()
    }

    /// The paths; the test card as `cam` where none is configured.
    public var servedPaths: [String: Path] { paths.isEmpty ? ["cam": Path()] : paths }

    /// The group of each multicast path: the first for the first name in alphabetical order, and so on.
    public var multicastGroups: [String: MulticastGroup] {
        let names = servedPaths.filter { $0.value.multicast != .off }.keys.sorted()
        return names.enumerated().reduce(into: [:]) { groups, entry in
            groups[entry.element] = multicast.firstGroup.advanced(by: entry.offset)
        }
    }
}
