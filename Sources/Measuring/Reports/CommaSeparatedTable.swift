/// The table for `--csv`, in the format of RFC 4180, but with LF as line end.
struct CommaSeparatedTable {
    private(set) var text: String

    init(columns: [String]) {
        text = columns.joined(separator: ",") + "\n"
    }

    /// Adds a row; `nil`, an unknown value, becomes an empty field.
    mutating func add(_ fields: [String?]) {
        text += fields.map { Self.field($0 ?? "") }.joined(separator: ",") + "\n"
    }

    static func milliseconds(_ nanoseconds: Int64?) -> String? {
        nanoseconds.map { ReportTable.number($0.milliseconds, digits: 3) }
    }

    static func seconds(_ nanoseconds: Int64) -> String { ReportTable.number(Double(nanoseconds) / 1e9, digits: 6) }

    private static func field(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        let doubled = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        return "\"\(doubled)\""
    }
}
