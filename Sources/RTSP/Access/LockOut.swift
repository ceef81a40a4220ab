import Media
import Synchronization

/// The limits on guessing passwords.
public struct GuessLimits: Hashable, Sendable {
    /// The number of wrong passwords after which an address is locked out; 0 for no limit, also for networks.
    public var guessCount = 10
    /// The number of wrong passwords after which an IPv6 network (/64) is locked out; 0 for no limit. One host can use all 2^64
    /// addresses of its network, and the hosts of a home share a network.
    public var networkGuessCount = 40
    /// The length of a lockout, and the time for which a wrong password counts.
    public var lockOutSeconds = 300
    /// The delay of the response to a wrong password.
    public var delayMilliseconds = 500
    /// The maximum number of stored addresses and networks. If there are more, the one that has been quiet for the longest time is
    /// dropped, unless it is locked out.
    public var addressCount = 4_096

    public init() {}
}

/// Counts wrong passwords per address and locks out addresses that send too many.
///
/// An IPv6 address also counts for its /64 network, which has a limit of its own. A locked-out entry stays until its lockout
/// ends, whatever other addresses send. If all entries are locked out, further addresses are counted together, so that an
/// attacker with that many addresses does not get unlimited guesses from the next ones. A change of the policy keeps the counts.
/// All connections share one instance; it may be used from any thread.
public final class LockOut: Sendable {
    private struct Guesses {
        var count = 0
        var last: MonotonicTime
    }

    /// A group of addresses with a common count.
    private enum Origin: Hashable {
        /// `nil` stands for all unreadable addresses.
        case address(IPAddress?)
        /// The upper half of an IPv6 address.
        case network(UInt64)
        /// All addresses and networks that did not fit into the table.
        case others

        /// The origins for which a guess from `address` counts.
        static func all(of address: IPAddress?) -> [Origin] {
            guard case .ipv6(let bits)? = address else { return [.address(address)] }
            return [.address(address), .network(UInt64(truncatingIfNeeded: bits >> 64))]
        }

        /// The number of guesses after which the origin is locked out; 0 for no limit.
        func limit(in limits: GuessLimits) -> Int {
            switch self {
            case .address, .others: limits.guessCount
            case .network: limits.guessCount > 0 ? limits.networkGuessCount : 0
            }
        }
    }

    private let guesses = Mutex<[Origin: Guesses]>([:])

    public init() {}

    /// Counts a wrong password.
    ///
    /// - Returns: whether it locks out the address or its network.
    func countGuess(_ address: IPAddress?, within limits: GuessLimits, at now: MonotonicTime) -> Bool {
        guesses.withLock { guesses in
            var isLockedOut = false
            for origin in Origin.all(of: address) {
                let hasRoom = guesses[origin] != nil || Self.makeRoom(in: &guesses, limits, at: now)
                let counted = hasRoom ? origin : .others
                var entry = guesses[counted] ?? Guesses(last: now)
                if Self.isForgotten(entry, limits, at: now) { entry.count = 0 }
                entry.count += 1
                entry.last = max(entry.last, now)
                guesses[counted] = entry
                if entry.count == counted.limit(in: limits) { isLockedOut = true }
            }
            return isLockedOut
        }
    }

    /// The rest of the address's lockout in seconds, rounded up; `nil` if the address is not locked out.
    func secondsLeft(for address: IPAddress?, within limits: GuessLimits, at now: MonotonicTime) -> Int? {
        let ends = guesses.withLock { guesses in
            Origin.all(of: address).compactMap { origin -> MonotonicTime? in
                let counted = guesses[origin] == nil ? .others : origin
                guard let entry = guesses[counted], Self.isLockedOut(entry, counted, limits, at: now) else {
                    return nil
                }
                return Self.end(of: entry, limits)
            }
        }
        return ends.max().map { Int(($0 - now + 999_999_999) / 1_000_000_000) }
    }

    private static func end(of guesses: Guesses, _ limits: GuessLimits) -> MonotonicTime {
        guesses.last.advanced(byMilliseconds: Int64(limits.lockOutSeconds) * 1000)
    }

    private static func isForgotten(_ guesses: Guesses, _ limits: GuessLimits, at now: MonotonicTime) -> Bool {
        end(of: guesses, limits) <= now
    }

    private static func isLockedOut(
        _ entry: Guesses, _ origin: Origin, _ limits: GuessLimits, at now: MonotonicTime
    ) -> Bool {
        let limit = origin.limit(in: limits)
        return limit > 0 && entry.count >= limit && !isForgotten(entry, limits, at: now)
    }

    /// Makes room for one more entry; false if all entries are locked out. A search of the table takes microseconds, and each
    /// search costs the attacker an address.
    private static func makeRoom(in all: inout [Origin: Guesses], _ limits: GuessLimits, at now: MonotonicTime) -> Bool
    {
        let capacity = max(1, limits.addressCount)
        guard all.count >= capacity else { return true }
        all = all.filter { !isForgotten($0.value, limits, at: now) }
        let capacityWithOthers = all[.others] == nil ? capacity : capacity + 1
        while all.count >= capacityWithOthers {
            let evictable = all.lazy.filter {
                $0.key != .others && !isLockedOut($0.value, $0.key, limits, at: now)
            }
            guard let oldest = evictable.min(by: { $0.value.last < $1.value.last }) else { return false }
            all[oldest.key] = nil
        }
        return true
    }
}
