/// The query parameters that tune a SAT>IP receiver (SAT>IP Protocol Specification 1.2.2, section 3.5, query syntax).
enum TunerParameters {
    private static let names = [
        "src", "fe", "freq", "pol", "msys", "mtype", "sr", "fec", "ro", "plts", "bw", "tmode", "gi", "plp", "t2id",
        "sm", "c2tft", "ds", "specinv", "pids", "addpids", "delpids",
    ]

    /// The first tuner parameter in `query`, in the specification's spelling.
    static func first(in query: String?) -> String? {
        let given = (query ?? "").utf8.split(separator: UInt8(ascii: "&"))
            .map { Substring($0.prefix { $0 != UInt8(ascii: "=") }) }
        return given.lazy.compactMap { name in names.first(where: name.equalsIgnoringCase) }.first
    }
}
