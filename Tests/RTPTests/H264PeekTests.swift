import Media
import Testing
import Wire

@testable import RTP

@Suite struct H264PeekTests {
    static let identifier = Array("0123456789abcdef".utf8)
    /// Header, payload type 5, size, identifier, data, trailing bits.
    static let message: [UInt8] = [0x06, 5, 19] + identifier + [7, 8, 9, 0x80]
    static let slice: [UInt8] = [0x41, 1, 2, 3]

    static func aggregate(_ units: [[UInt8]]) -> [UInt8] {
        units.reduce(into: [0x78]) { payload, unit in
            payload += [UInt8(unit.count >> 8), UInt8(unit.count & 0xFF)]
            payload += unit
        }
    }

    static func contents(in payload: [UInt8]) -> [[UInt8]] {
        H264Peek.userData(in: payload.rawSpan).filter { $0.identifier == identifier }.map(\.content)
    }

    @Test func userDataIsFoundAloneAndInAnAggregate() {
        #expect(Self.contents(in: Self.message) == [[7, 8, 9]])
        #expect(Self.contents(in: Self.aggregate([[0x67, 1], [0x68, 2], Self.message])) == [[7, 8, 9]])
        #expect(Self.contents(in: [0x06, 5, 16] + Self.identifier) == [[]])
    }

    @Test func userDataWithStartCodesIsUnescaped() {
        let data = H264.UserData(identifier: Self.identifier, content: [0, 0, 1, 0, 0, 0])
        #expect(Self.contents(in: Self.aggregate([Self.message, data.nalUnit])) == [[7, 8, 9], data.content])
    }

    @Test func otherPayloadsHaveNoUserData() {
        let others: [[UInt8]] = [
            [], [0x06], Self.slice, Self.aggregate([Self.slice]), [0x06, 5, 255], [0x06, 5, 15] + Self.identifier,
            [0x06, 4, 19] + Self.identifier + [7, 8, 9], [0x06, 5, 19] + Self.identifier.reversed() + [7, 8, 9],
            // A fragment of a NAL unit with user data.
            [0x7C, 0x86] + Self.message.dropFirst(),
        ]
        for payload in others { #expect(Self.contents(in: payload).isEmpty, "\(payload)") }
    }

    @Test func truncatedUserDataIsIgnored() {
        for count in 0..<(Self.message.count - 1) {
            #expect(Self.contents(in: Array(Self.message.prefix(count))).isEmpty)
        }
        let aggregate = Self.aggregate([[0x67, 1], Self.message])
        for count in 0..<aggregate.count { #expect(Self.contents(in: Array(aggregate.prefix(count))).isEmpty) }
    }
}
