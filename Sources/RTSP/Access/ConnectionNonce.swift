import Media

/// The nonce that one connection's client is challenged with. Another connection's is never this one, so what somebody has
/// overheard there is of no use here.
///
/// ```
///            | challenge        | an answer with it | with another nonce
/// none       | live, fresh      | –                 | stale
/// live       | live, the same   | live              | stale
/// expired    | live, fresh      | stale             | stale
/// ```
/// A count that does not rise makes it expire at once: somebody repeats what was said.
struct ConnectionNonce: Sendable {
    /// Of the next challenge.
    var lifetimeSeconds: Int
    private let random: @Sendable () -> UInt64
    private var current: (text: String, expiry: MonotonicTime)?
    private var lastCount: UInt32 = 0

    init(lifetimeSeconds: Int, random: @escaping @Sendable () -> UInt64) {
        self.lifetimeSeconds = lifetimeSeconds
        self.random = random
    }

    /// What a challenge at `now` asks with: 128 random bits.
    mutating func text(at now: MonotonicTime) -> String {
        if let current, now < current.expiry { return current.text }
        let fresh = Digits.hexadecimal(random(), count: 16) + Digits.hexadecimal(random(), count: 16)
        current = (fresh, now.advanced(byMilliseconds: Int64(lifetimeSeconds) * 1000))
        lastCount = 0
        return fresh
    }

    /// Whether an answer, otherwise right, may count; it counts once where the client counts itself.
    mutating func admits(_ credentials: DigestCredentials, at now: MonotonicTime) -> Bool {
        guard let current, now < current.expiry, credentials.nonce == current.text else { return false }
        guard let count = credentials.protection?.count else { return lastCount == 0 }
        guard count > lastCount else {
            self.current = nil
            return false
        }
        lastCount = count
        return true
    }
}
