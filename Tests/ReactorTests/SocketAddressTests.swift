import CLinux
import Glibc
import Testing

@testable import Reactor

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7:554"), ("127.0.0.1", "127.0.0.1:554"), ("0.0.0.0", "0.0.0.0:554"),
        ("2001:db8::7", "[2001:db8::7]:554"), ("::1", "[::1]:554"), ("::", "[::]:554"),
        ("::ffff:192.0.2.7", "192.0.2.7:554"), ("239.255.1.2", "239.255.1.2:554"), ("fe80::1%lo", "[fe80::1]:554"),
    ])
    func numericTextIsReadAndWritten(text: String, written: String) {
        #expect(SocketAddress(text, port: 554)?.description == written)
    }

    @Test(arguments: [
        "", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::1%", "::1%nosuchlink",
        "[::1]", "%lo", "1.2.3.4\0",
    ])
    func namesAndInvalidTextAreNoAddresses(text: String) {
        #expect(SocketAddress(text, port: 1) == nil)
    }

    @Test(arguments: ["192.0.2.7", "2001:db8::7", "::1", "255.255.255.255", "::ffff:10.1.2.3"])
    func anAddressSurvivesItsKernelForm(text: String) throws {
        let address = try #require(SocketAddress(text, port: 0x1234))
        var storage = sockaddr_storage()
        address.write(to: &storage, for: address.family)
        #expect(SocketAddress(storage) == address)
    }

    @Test func anIPv4AddressTakesItsMappedFormForADualStackSocket() throws {
        let address = try #require(SocketAddress("192.0.2.7", port: 554))
        var storage = sockaddr_storage()
        let byteCount = address.write(to: &storage, for: .ipv6)
        #expect(Int(byteCount) == MemoryLayout<sockaddr_in6>.size)
        #expect(Int32(storage.ss_family) == AF_INET6)
        #expect(SocketAddress(storage) == address)
    }

    @Test func theUnspecifiedAddressStaysUnspecifiedInTheOtherFamily() {
        var storage = sockaddr_storage()
        SocketAddress.any(.ipv4, port: 9).write(to: &storage, for: .ipv6)
        #expect(SocketAddress(storage) == .any(.ipv6, port: 9))
    }

    @Test func otherAddressFamiliesAreRejected() {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        #expect(SocketAddress(storage) == nil)
    }

    @Test(arguments: [
        ("127.8.9.1", "loopback"), ("::1", "loopback"), ("::ffff:127.0.0.1", "loopback"), ("239.1.1.1", "multicast"),
        ("ff02::1", "multicast"), ("0.0.0.0", "any"), ("::", "any"), ("169.254.3.4", "link"), ("fe80::2", "link"),
        ("192.0.2.1", "none"), ("2001:db8::1", "none"), ("223.255.255.255", "none"), ("fec0::1", "none"),
    ])
    func specialAddressesAreRecognised(text: String, kind: String) throws {
        let address = try #require(SocketAddress(text, port: 0))
        let kinds = [
            ("loopback", address.isLoopback), ("multicast", address.isMulticast), ("any", address.isAny),
            ("link", address.isLinkLocal),
        ]
        #expect(kinds.filter(\.1).map(\.0) == (kind == "none" ? [] : [kind]))
    }

    @Test func octetsAreInNetworkOrder() throws {
        #expect(SocketAddress("192.0.2.7", port: 0)?.octets == [192, 0, 2, 7])
        #expect(
            SocketAddress("2001:db8::7", port: 0)?.octets == [0x20, 1, 13, 0xB8] + Array(repeating: 0, count: 11) + [7])
    }

    @Test func localAddressesAreReachableByOtherHosts() throws {
        for address in try LocalAddresses.all() {
            #expect(!address.isLoopback && !address.isLinkLocal && !address.isAny)
        }
    }

    @Test func theLoopbackInterfaceIsFoundByItsAddress() throws {
        let index = try LocalAddresses.interfaceIndex(of: .loopback(.ipv4, port: 0))
        #expect(index == if_nametoindex("lo"))
        let nowhere = try #require(SocketAddress("203.0.113.77", port: 0))
        #expect(try LocalAddresses.interfaceIndex(of: nowhere) == nil)
    }
}
