import Testing

@testable import Measuring

@Suite struct HandOverTimestampTests {
    static func handOverTime(_ digits: String) -> Int64? {
        let payload: [UInt8] =
            [0x06, 5, UInt8(16 + digits.utf8.count)] + HandOverTimestamp.identifier + digits.utf8 + [0x80]
        return HandOverTimestamp.unixNanoseconds(in: payload.span.bytes)
    }

    @Test func theHandOverTimeIsReadFromAUnit() {
        #expect(HandOverTimestamp.identifier.count == 16)
        #expect(Self.handOverTime("187a12f3c4d5e6f7") == 0x187a_12f3_c4d5_e6f7)
        #expect(Self.handOverTime("0000000000000000") == 0)
    }

    @Test(arguments: ["", "187a", "187a12f3c4d5e6f70", "ffffffffffffffff", "not a hex number"])
    func malformedTimesAreIgnored(digits: String) {
        #expect(Self.handOverTime(digits) == nil)
    }
}
