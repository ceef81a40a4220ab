import TestSupport
import Testing
import Wire

@testable import WebRTC

@Suite struct STUNMessageTests {
    private static let key = [UInt8]("VOkJxbRl1RmTxUk/WvJxBt".utf8)

    /// RFC 5769, section 2.1.
    private static let request = bytes(
        """
        00010058 2112a442 b7e7a701 bc34d686 fa87dfae 80220010 5354554e 20746573 7420636c 69656e74 00240004 6e0001ff
        80290008 932ff9b1 51263b36 00060009 6576746a 3a683676 59202020 00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249
        c1b571a2 80280004 e57a3bcf
        """)
    /// RFC 5769, section 2.2.
    private static let responseIPv4 = bytes(
        """
        0101003c 2112a442 b7e7a701 bc34d686 fa87dfae 8022000b 74657374 20766563 746f7220 00200008 0001a147 e112a643
        00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7 80280004 c07d4c96
        """)
    /// RFC 5769, section 2.3.
    private static let responseIPv6 = bytes(
        """
        01010048 2112a442 b7e7a701 bc34d686 fa87dfae 8022000b 74657374 20766563 746f7220 00200014 0002a147 0113a9fa
        a5d3f179 bc25f4b5 bed2b9d9 00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41 80280004 c8fb0b4c
        """)

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            // The text above consists of pairs of digits.
            return UInt8(digits[start...].prefix(2), radix: 16)!
        }
    }

    @Test func theSampleRequestIsRead() throws {
        let message = try #require(STUNMessage(parsing: Self.request))
        #expect(message.kind == .request && message.method == STUNMessage.binding)
        #expect(message.localFragment == "evtj")
        #expect(message.attributes.contains(.priority(0x6E00_01FF)))
        #expect(message.attributes.contains(.controlled(0x932F_F9B1_5126_3B36)))
        #expect(message.isAuthentic(in: Self.request, key: Self.key, authenticate: hmacSHA1))
        #expect(!message.isAuthentic(in: Self.request, key: Self.key + [0x61], authenticate: hmacSHA1))
    }

    @Test func theSampleResponsesTellTheAddress() throws {
        let ipv4 = try #require(STUNMessage(parsing: Self.responseIPv4))
        #expect(ipv4.kind == .success)
        #expect(ipv4.attributes.contains(.mappedAddress(.init(host: .ipv4(0xC000_0201), port: 32_853))))
        #expect(ipv4.isAuthentic(in: Self.responseIPv4, key: Self.key, authenticate: hmacSHA1))
        let ipv6 = try #require(STUNMessage(parsing: Self.responseIPv6))
        let host = TransportAddress.Host.ipv6(high: 0x2001_0DB8_1234_5678, low: 0x0011_2233_4455_6677)
        #expect(ipv6.attributes.contains(.mappedAddress(.init(host: host, port: 32_853))))
        #expect(ipv6.isAuthentic(in: Self.responseIPv6, key: Self.key, authenticate: hmacSHA1))
    }

    private static let messages: [STUNMessage] = [
        STUNMessage(
            .request, transaction: .init(high: 1, low: 2),
            attributes: [
                .userName("left:right"), .priority(.max), .useCandidate, .controlling(7),
                .other(type: 0xC057, [0, 1, 2]),
            ]),
        STUNMessage(
            .success, transaction: .init(high: .max, low: .max),
            attributes: [.mappedAddress(.init(host: .ipv4(0x7F00_0001), port: 1))]),
        STUNMessage(
            .success, transaction: .init(high: 0x2112_A442, low: 0),
            attributes: [.mappedAddress(.init(host: .ipv6(high: 1, low: .max), port: .max))]),
        STUNMessage(
            .error, transaction: .init(high: 3, low: 4),
            attributes: [.errorCode(420, reason: "Unknown Attribute"), .unknownAttributes([0x7FFF, 3])]),
        STUNMessage(.indication, method: 0xFFF, transaction: .init(high: 0, low: 0), attributes: [.userName("")]),
    ]

    @Test(arguments: messages)
    func aWrittenMessageIsRead(message: STUNMessage) throws {
        for key in [nil, Self.key] {
            let datagram = message.encoded(key: key, authenticate: hmacSHA1)
            #expect(datagram.count % 4 == 0)
            let read = try #require(STUNMessage(parsing: datagram))
            #expect(read.kind == message.kind && read.method == message.method)
            #expect(read.transaction == message.transaction && read.attributes == message.attributes)
            #expect(read.isAuthentic(in: datagram, key: Self.key, authenticate: hmacSHA1) == (key != nil))
        }
    }

    @Test(arguments: messages)
    func aMessageThatIsCutOrLengthenedIsNone(message: STUNMessage) {
        let datagram = message.encoded(key: Self.key, authenticate: hmacSHA1)
        for count in 0..<datagram.count { #expect(STUNMessage(parsing: Array(datagram[..<count])) == nil) }
        #expect(STUNMessage(parsing: datagram + [0, 0, 0, 0]) == nil)
    }

    /// The fingerprint protects from accidents, the code from attackers who make the fingerprint anew.
    @Test func aChangedByteIsNoticed() throws {
        let datagram = Self.messages[0].encoded(key: Self.key, authenticate: hmacSHA1)
        for index in datagram.indices {
            var changed = datagram
            changed[index] ^= 0x10
            // A changed type makes another attribute of the fingerprint.
            let isTypeOfFingerprint = (datagram.count - 8..<datagram.count - 6).contains(index)
            #expect((STUNMessage(parsing: changed) != nil) == isTypeOfFingerprint)
            // Without its fingerprint, the message is read if it still fits.
            var bare = Array(changed.dropLast(8))
            bare[3] &-= 8
            guard index < bare.count, let read = STUNMessage(parsing: bare) else { continue }
            #expect(!read.isAuthentic(in: bare, key: Self.key, authenticate: hmacSHA1))
        }
    }

    @Test func attributesBehindTheIntegrityAreIgnored() throws {
        var bare = Array(Self.messages[0].encoded(key: Self.key, authenticate: hmacSHA1).dropLast(8))
        // CONTROLLED, which was not protected.
        bare += [0x80, 0x29, 0, 8] + [UInt8](repeating: 1, count: 8)
        bare[3] = UInt8(bare.count - 20)
        let read = try #require(STUNMessage(parsing: bare))
        #expect(read.attributes == Self.messages[0].attributes)
        #expect(read.isAuthentic(in: bare, key: Self.key, authenticate: hmacSHA1))
    }

    @Test func malformedValuesDoNotEndTheProcess() throws {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<2_000 {
            let types: [UInt16] = [
                6, 9, 0x0A, 0x20, 0x24, 0x25, 0x8029, 0x802A, .random(in: 0...0xFFFF, using: &generator),
            ]
            let attributes = (0..<Int.random(in: 0...4, using: &generator)).map { _ -> STUNAttribute in
                let value = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                return .other(type: types.randomElement(using: &generator) ?? 6, value)
            }
            let message = STUNMessage(.request, transaction: .init(high: 1, low: 2), attributes: attributes)
            let datagram = message.encoded(key: nil, authenticate: hmacSHA1)
            guard let read = STUNMessage(parsing: datagram) else { continue }
            #expect(read.attributes.map(\.type) == attributes.map(\.type).prefix { $0 != 8 && $0 != 0x8028 })
            #expect(read.encoded(key: nil, authenticate: hmacSHA1) == datagram || read.attributes != attributes)
        }
    }
}
