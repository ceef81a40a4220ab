/// A table with aligned columns, indented by two spaces.
func textTable(_ rows: [[String]]) -> String {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        let line = cells.joined(separator: "  ")
        return "  " + line[...(line.lastIndex { $0 != " " } ?? line.startIndex)] + "\n"
    }.joined()
}
