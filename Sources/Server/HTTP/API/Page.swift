import HTTPServer

/// The part of a list that a request asks for: `?limit=100&after=v17`. The next page begins behind the last item of this one, so a
/// list that changes meanwhile neither repeats nor leaves out an item that stays.
struct Page: Hashable, Sendable {
    /// The greatest and the usual number of items: about a megabyte of JSON.
    static let maximumCount = 10_000

    private let limit: Int
    private let after: String?

    init(_ request: Request) throws(Problem) {
        limit = try request.number("limit", in: 1...Self.maximumCount, standard: Self.maximumCount)
        after = request.target.query["after"]
    }

    /// The items of this page.
    ///
    /// - Parameter id: names an item.
    func part<Item>(of all: [Item], _ id: (Item) -> String) throws(Problem) -> [Item] {
        guard let after else { return Array(all.prefix(limit)) }
        guard let index = all.firstIndex(where: { id($0) == after }) else {
            throw Problem(.badRequest, "after: is the last item of the page before, which is not in the list any more")
        }
        return Array(all[(index + 1)...].prefix(limit))
    }
}
