import HTTPServer

extension Request {
    /// The path that the query must name.
    func requiredPath() throws(Problem) -> String {
        guard let streamPath else { throw Problem(.badRequest, "path: names the stream, as in ?path=/cam") }
        return streamPath
    }

    /// A parameter that is a whole number; `standard` if it is absent.
    func number(_ name: String, in range: ClosedRange<Int>, standard: Int) throws(Problem) -> Int {
        guard let text = target.query[name] else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw Problem(
                .badRequest, "\(name): is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
