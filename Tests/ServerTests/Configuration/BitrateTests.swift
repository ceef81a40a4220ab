import Testing

@testable import Server

struct BitrateTests {
    @Test(arguments: [
        ("4000000", 4_000_000), ("4M", 4_000_000), ("4m", 4_000_000), ("1.5M", 1_500_000), ("500k", 500_000),
        ("500K", 500_000), ("0.5k", 500), ("1.234567M", 1_234_567), ("1G", 1_000_000_000), ("0", 0),
    ])
    func wholeNumbersOfBitsPerSecondAreAccepted(text: String, expected: Int) {
        #expect(Bitrate(text)?.value == expected)
    }

    @Test(arguments: [
        "", "M", "k", ".5M", "1.M", "1.5", "1.2345k", "-1M", "+1M", "4 M", "4Mbit", "4MM", "1,5M", "1.5.5M", "0x10",
        "4e6",
        "\u{661}M", "99999999999999999999", "9999999999999G",
    ])
    func otherTextIsRejected(text: String) {
        #expect(Bitrate(text) == nil)
    }
}
