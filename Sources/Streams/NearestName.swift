/// Returns the candidate that `word` was most likely meant to be; `nil` if none is near.
///
/// A candidate is near if at most a third of the longer word's letters differ. Two may differ in any case, but no more than half of
/// the candidate's own: `prot` is near `port`, and `colour` and `srt` are not. Case is ignored.
public func nearestName(to word: String, among candidates: some Sequence<String>) -> String? {
    // Input may be long. A word longer than any name is near none.
    guard word.utf8.count <= 255 else { return nil }
    let wanted = Array(word.lowercased().unicodeScalars)
    var best: (name: String, distance: Int)?
    for name in candidates {
        let letters = Array(name.lowercased().unicodeScalars)
        let limit = min(max(2, max(wanted.count, letters.count) / 3), letters.count / 2)
        // The distance is at least the difference in length, which rules out most names cheaply.
        guard abs(wanted.count - letters.count) <= limit else { continue }
        let distance = editDistance(wanted, letters)
        guard distance <= limit else { continue }
        if best.map({ (distance, name) < ($0.distance, $0.name) }) ?? true { best = (name, distance) }
    }
    return best?.name
}

/// The number of insertions, deletions, replacements and swaps of neighbours from `left` to `right` (optimal string alignment).
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
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
