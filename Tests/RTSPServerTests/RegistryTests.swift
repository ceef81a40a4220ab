import Media
import Reactor
import Synchronization
import Testing

@testable import RTSPServer

struct RegistryTests {
    private func ports(_ port: UInt16) -> [SocketAddress] {
        [.loopback(.ipv4, port: port), .loopback(.ipv4, port: port + 1)]
    }

    @Test func aSessionCannotMoveToThePortsOfAnother() {
        let registry = Registry(limits: ConnectionLimits(), maximumViewers: 1)
        #expect(registry.take(ports(10)) && registry.take(ports(20)))
        #expect(!registry.exchange(ports(10), for: [ports(10)[0], ports(20)[0]]))
        #expect(!registry.take(ports(10)))
        #expect(registry.exchange(ports(10), for: [ports(10)[1], ports(30)[0]]))
        #expect(registry.take([ports(10)[0]]) && !registry.take([ports(10)[1]]))
    }

    @Test func latchCandidatesAreKeptForASecondAndTheirNumberIsLimited() {
        var candidates = EarlyDatagrams()
        let now = MonotonicTime(nanoseconds: 0)
        let host = SocketAddress.loopback(.ipv4, port: 0)
        candidates.add(host.with(port: 5), .rtcp, at: now)
        candidates.add(host.with(port: 4), .rtp, at: now)
        candidates.add(host.with(port: 6), .rtp, at: now)
        let found = candidates.take(of: host, at: now.advanced(byMilliseconds: 1_000))
        #expect(found.map(\.source.port) == [6, 5] && found.map(\.port) == [.rtp, .rtcp])
        #expect(candidates.take(of: host, at: now).isEmpty)
        for number in 0..<300 { candidates.add(SocketAddress(ipv4: UInt32(number), port: 9), .rtp, at: now) }
        #expect(candidates.take(of: SocketAddress(ipv4: 299, port: 0), at: now).isEmpty)
        candidates.add(host.with(port: 7), .rtp, at: now.advanced(byMilliseconds: 1_001))
        #expect(candidates.take(of: host, at: now.advanced(byMilliseconds: 1_001)).count == 1)
        candidates.add(host.with(port: 7), .rtp, at: now)
        #expect(candidates.take(of: host, at: now.advanced(byMilliseconds: 1_001)).isEmpty)
    }

    @Test func aFloodOfForgedDatagramsCausesFewSweeps() {
        var candidates = EarlyDatagrams()
        for number in 0..<100_000 as Range<UInt32> {
            // Within one second.
            let now = MonotonicTime(nanoseconds: Int64(number) * 10_000)
            candidates.add(SocketAddress(ipv4: number, port: 9), .rtp, at: now)
        }
        #expect(candidates.sweepCount <= 4)
    }

    @Test func thisHostsAddressIsLookedUpAtMostOnceInTenSeconds() {
        let lookUps = Mutex(0)
        var address = CachedHost {
            lookUps.withLock { count in
                count += 1
                return "192.0.2.\(count)"
            }
        }
        let hosts = (0..<10_000 as Range<Int64>).map { address.host(at: MonotonicTime(nanoseconds: $0 * 1_000_000)) }
        #expect(Set(hosts) == ["192.0.2.1"])
        #expect(address.host(at: MonotonicTime(nanoseconds: 10_000_000_000)) == "192.0.2.2")
    }
}
