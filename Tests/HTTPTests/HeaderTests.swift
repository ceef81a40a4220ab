import Testing

@testable import HTTP

/// Cookies and ranges.
struct HeaderTests {
    @Test func cookiesAreReadByName() {
        let cookies = Cookies(["a=1; apus=\"x\";b = 2;apus=y=z", "c=\"; d=3;=4; e; f=ü; g=a,b"])
        #expect(cookies.values(of: "apus") == ["x", "y=z"])
        #expect(cookies.values(of: "a") == ["1"] && cookies.values(of: "d") == ["3"])
        for name in ["b", "c", "", "e", "f", "g"] { #expect(cookies.values(of: name) == [], "\(name)") }
        let many = (0..<100).map { "n\($0)=v" }.joined(separator: ";")
        #expect(Cookies([many]).pairs.count == Cookies.maximumCount)
    }

    @Test(
        arguments: [
            ("bytes=0-", .part(0..<100)), ("bytes=0-0", .part(0..<1)), ("bytes=10-19", .part(10..<20)),
            ("BYTES=90-200", .part(90..<100)), ("bytes=-5", .part(95..<100)), ("bytes=-500", .part(0..<100)),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=7-3", .whole), ("bytes=-", .whole),
            ("bytes=0-1,3-4", .whole), ("items=0-1", .whole), ("bytes=a-b", .whole), ("bytes=1", .whole), ("", .whole),
            ("bytes=0x0-", .whole), ("bytes=99999999999999999999-", .whole), ("bytes= 1 - 2 ", .part(1..<3)),
        ] as [(String, RequestedRange)])
    func rangesAreParts(text: String, range: RequestedRange) {
        #expect(RequestedRange([text], of: 100) == range)
    }

    @Test func aBodyWithoutBytesHasNoParts() {
        #expect(RequestedRange(["bytes=0-"], of: 0) == .unsatisfiable)
        #expect(RequestedRange([], of: 0) == .whole && RequestedRange(["bytes=0-", "bytes=0-"], of: 9) == .whole)
    }
}
