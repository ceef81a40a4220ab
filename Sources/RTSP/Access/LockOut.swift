import Media
import Synchronization

/// What guessing passwords costs, so that nobody gets far with it.
public struct GuessLimits: Hashable, Sendable {
    /// Wrong passwords from one address after which nothing is answered to it for a while; 0 for any number.
    public var guessCount = 10
    /// How long that while is, and how long a wrong password is remembered.
    public var lockOutSeconds = 300
    /// How long a wrong password waits for its answer.
    public var delayMilliseconds = 500
    /// Addresses that are remembered; of more, the one that has guessed last longest ago is forgotten.
    public var addressCount = 4_096

    public init() {}
}

/// The addresses that wrong passwords came from: one that has guessed too often is not listened to for a while.
///
/// An address, not a network: those who share a link or a prefix have no part in it. It outlives a change of the policy. From any
/// thread; all connections share one.
public final class LockOut: Sendable {
    private struct Guesses {
        var count = 0
        var last: MonotonicTime
    }

    /// `nil` stands for addresses that cannot be read.
    private let guesses = Mutex<[IPAddress?: Guesses]>([:])

    public init() {}

    /// A wrong password came.
    ///
    /// - Returns: whether the address is locked out by it.
    func guessed(_ address: IPAddress?, within limits: GuessLimits, at now: MonotonicTime) -> Bool {
        guesses.withLock { guesses in
            var entry = guesses[address] ?? Guesses(last: now)
            if Self.isForgotten(entry, limits, at: now) { entry.count = 0 }
            entry.count += 1
            entry.last = max(entry.last, now)
            if guesses[address] == nil { Self.makeRoom(in: &guesses, limits, at: now) }
            guesses[address] = entry
            return entry.count == limits.guessCount
        }
    }

    /// For how many seconds yet the address is locked out, rounded up; `nil` where it is not.
    func secondsLeft(for address: IPAddress?, within limits: GuessLimits, at now: MonotonicTime) -> Int? {
        guard limits.guessCount > 0 else { return nil }
        let entry = guesses.withLock { $0[address] }
        guard let entry, entry.count >= limits.guessCount, !Self.isForgotten(entry, limits, at: now) else { return nil }
        return Int((Self.end(of: entry, limits) - now + 999_999_999) / 1_000_000_000)
    }

    private static func end(of guesses: Guesses, _ limits: GuessLimits) -> MonotonicTime {
        guesses.last.advanced(byMilliseconds: Int64(limits.lockOutSeconds) * 1000)
    }

    private static func isForgotten(_ guesses: Guesses, _ limits: GuessLimits, at now: MonotonicTime) -> Bool {
        end(of: guesses, limits) <= now
    }

    /// For one address more. It is looked through at once, which takes microseconds: each costs whoever guesses an address.
    private static func makeRoom(in all: inout [IPAddress?: Guesses], _ limits: GuessLimits, at now: MonotonicTime) {
        guard all.count >= limits.addressCount else { return }
        all = all.filter { !isForgotten($0.value, limits, at: now) }
        while all.count >= max(1, limits.addressCount), let oldest = all.min(by: { $0.value.last < $1.value.last }) {
            all[oldest.key] = nil
        }
    }
}
