import Streams
import Testing

struct NearestNameTests {
    @Test(
        arguments: [
            ("prot", ["port", "path"], "port"), ("PORT", ["port"], "port"), ("flim", ["film"], "film"),
            ("colour", ["port"], nil), ("port", ["srt"], nil), ("cert", ["srt"], nil),
            ("", ["port"], nil),
            ("framesPerSec", ["framesPerSecond", "width"], "framesPerSecond"), ("x", ["y"], nil),
            ("/cma", ["/yard", "/cam"], "/cam"), ("a", [], nil), ("a", [""], nil),
            ("bat", ["cat", "bet"], "bet"), ("yard-east", ["yard"], nil),
        ] as [(String, [String], String?)])
    func theNearestNameIsFoundIfOneIsNear(_ word: String, _ candidates: [String], _ expected: String?) {
        #expect(nearestName(to: word, among: candidates) == expected)
    }

    @Test func aLongWordIsNearNoName() {
        #expect(nearestName(to: String(repeating: "a", count: 10_000), among: ["a"]) == nil)
    }
}
