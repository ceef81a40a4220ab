import TestSupport
import Testing

@testable import RTSP

struct AddressRulesTests {
    @Test(arguments: [
        ("192.0.2.0/24", ["192.0.2.0", "192.0.2.255", "::ffff:192.0.2.7"], ["192.0.3.0", "2001:db8::", "::c000:200"]),
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6"]), ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::", "::1"]),
        ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::", "32.1.13.184"]), ("::1", ["::1"], ["::", "::2"]),
        ("::/0", ["::", "ff02::1"], ["0.0.0.0"]), ("::ffff:10.0.0.0/8", ["10.9.8.7"], ["11.0.0.0"]),
    ])
    func aNetworkContainsTheAddressesWithItsPrefix(text: String, inside: [String], outside: [String]) throws {
        let block = try #require(AddressBlock(text))
        for address in inside { #expect(block.contains(try #require(IPAddress(address))), "\(address)") }
        for address in outside { #expect(!block.contains(try #require(IPAddress(address))), "\(address)") }
        #expect(AddressBlock(block.description) == block)
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "::1/64",
        "::/129", "fe80::1%eth0", "[::1]", "example.com", "010.0.0.0/8",
    ])
    func invalidNetworksAreNil(text: String) {
        #expect(AddressBlock(text) == nil)
    }

    @Test func aNetworkContainsExactlyTheAddressesWithItsPrefix() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            let bitCount = Int.random(in: 0...32, using: &random)
            let mask = bitCount == 0 ? 0 : UInt32.max << UInt32(32 - bitCount)
            let (one, other) = (
                UInt32.random(in: 0 ... .max, using: &random), UInt32.random(in: 0 ... .max, using: &random)
            )
            let near = one ^ (other & ~mask)
            let block = try #require(AddressBlock("\(IPAddress.ipv4(one & mask))/\(bitCount)"))
            #expect(block.contains(.ipv4(near)))
            #expect(block.contains(.ipv4(other)) == (other & mask == one & mask))
        }
    }

    @Test func deniedTakesPrecedenceOverAllowed() throws {
        let home = try #require(AddressBlock("10.0.0.0/8"))
        let guests = try #require(AddressBlock("10.1.0.0/16"))
        let (family, guest, stranger) = (IPAddress.ipv4(0x0A00_0001), IPAddress.ipv4(0x0A01_0001), IPAddress.ipv4(1))
        func admitted(_ rules: AddressRules) -> [Bool] { [family, guest, stranger, nil].map(rules.admits) }
        #expect(admitted(.init()) == [true, true, true, true])
        #expect(admitted(.init(allowed: [home])) == [true, true, false, false])
        #expect(admitted(.init(denied: [guests])) == [true, false, true, false])
        #expect(admitted(.init(allowed: [home], denied: [guests])) == [true, false, false, false])
    }

    @Test(arguments: [
        ("cam", "/cam", true), ("cam", "/cam2", false), ("cam", "/Cam", false), ("cam", "/", false),
        ("yard/*", "/yard/front", true), ("yard/*", "/yard", false), ("ya*", "/yard", true), ("*", "/", true),
        ("*", "/a/b", true),
    ])
    func aPatternMatchesOnePathOrAPrefix(pattern: String, path: String, matches: Bool) throws {
        #expect(try #require(PathPattern(pattern)).matches(path, ignoringCase: false) == matches)
    }

    @Test(arguments: ["", "/cam", "a*b", "**", "*a", "cam ", "cäm", "a?"])
    func invalidPatternsAreNil(text: String) {
        #expect(PathPattern(text) == nil)
    }
}
