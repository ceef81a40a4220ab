import Media
import Synchronization

/// What guessing passwords costs, so that nobody gets far with it.
public struct GuessLimits: Hashable, Sendable {
    /// Wrong passwords from one address after which nothing is answered to it for a while; 0 for any number, of a network
    /// too.
    public var guessCount = 10
    /// Wrong passwords from one IPv6 network (/64) after which all of it is locked out; 0 for any number. One host can
    /// have all 2^64 addresses of it, and the hosts of a home share one.
    public var networkGuessCount = 40
    /// How long that while is, and how long a wrong password is remembered.
    public var lockOutSeconds = 300
    /// How long a wrong password waits for its answer.
    public var delayMilliseconds = 500
    /// Addresses and networks that are remembered. Of more, the one that has guessed last longest ago is forgotten, but
    /// none that is locked out.
    public var addressCount = 4_096

    public init() {}
}

/// The addresses that wrong passwords came from: one that has guessed too often is not listened to for a while.
///
/// An IPv6 address also counts for its /64 network, which has a limit of its own. A locked-out entry stays until its
/// time is over, whatever comes from other addresses. If all entries are locked out, addresses that find no room are
/// counted together: an attacker with that many addresses must not get unlimited guesses from the next ones. It
/// outlives a change of the policy. From any thread; all connections share one.
public final class LockOut: Sendable {
    private struct Guesses {
        var count = 0
        var last: MonotonicTime
    }

    /// Whose guesses are counted together.
    private enum Origin: Hashable {
        /// `nil` stands for addresses that cannot be read.
        case address(IPAddress?)
        /// The upper half of an IPv6 address.
        case network(UInt64)
        /// All addresses and networks for which there was no room.
        case others

        /// The guesses from `address` count for each of these.
        static func all(of address: IPAddress?) -> [Origin] {
            guard case .ipv6(let bits)? = address else { return [.address(address)] }
            return [.address(address), .network(UInt64(truncatingIfNeeded: bits >> 64))]
        }

        /// After how many guesses it is locked out; 0 for any number.
        func limit(in limits: GuessLimits) -> Int {
            switch self {
            case .address, .others: limits.guessCount
            case .network: limits.guessCount > 0 ? limits.networkGuessCount : 0
            }
        }
    }

    private let guesses = Mutex<[Origin: Guesses]>([:])

    public init() {}

    /// A wrong password came.
    ///
    /// - Returns: whether the address or its network is locked out by it.
    func guessed(_ address: IPAddress?, within limits: GuessLimits, at now: MonotonicTime) -> Bool {
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

    /// For how many seconds yet the address is locked out, rounded up; `nil` where it is not.
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

    /// Makes room for one entry more; false if all entries are locked out. Looking through the table takes microseconds,
    /// and each look costs the attacker an address.
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
