/// The one of `candidates` that `word` was most likely meant to be; `nil` where none is near.
///
/// Near is a third of the longer word's letters, at least 2: `prot` is near `port`, and `colour` is not near `port`.
public func nearestName(to word: String, among candidates: some Sequence<String>) -> String? {
    // Outside input may be long: what is longer than any name is near none.
    guard word.count <= 255 else { return nil }
    let ranked = candidates.map { (name: $0, distance: editDistance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
    return best.distance <= max(2, max(word.count, best.name.count) / 3) && best.distance < best.name.count
        ? best.name : nil
}

/// Insertions, deletions, replacements and swaps of neighbours from `left` to `right` (optimal string alignment).
func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left), right = Array(right)
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        for column in right.indices {
            let isSame = left[row] == right[column]
            var best = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (isSame ? 0 : 1))
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                best = min(best, beforePrevious[column - 1] + 1)
            }
            current.append(best)
        }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count]
}
