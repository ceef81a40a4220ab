import Media

/// The nonce of one connection. It is valid only on this connection, so credentials overheard elsewhere cannot be replayed here.
///
/// ```
/// state      | challenge        | credentials with it | with another nonce
/// none       | live, new nonce  | –                   | stale
/// live       | live, same nonce | live                | stale
/// expired    | live, new nonce  | stale               | stale
/// ```
/// A request count that does not rise is a replay, and the nonce expires at once.
struct ConnectionNonce: Sendable {
    /// The lifetime of the next nonce.
    var lifetimeSeconds: Int
    private let random: @Sendable () -> UInt64
    private var current: (text: String, expiry: MonotonicTime)?
    private var lastCount: UInt32 = 0

    init(lifetimeSeconds: Int, random: @escaping @Sendable () -> UInt64) {
        self.lifetimeSeconds = lifetimeSeconds
        self.random = random
    }

    /// The nonce of a challenge at `now`: 128 random bits.
    mutating func text(at now: MonotonicTime) -> String {
        if let current, now < current.expiry { return current.text }
        let fresh = Digits.hexadecimal(random(), count: 16) + Digits.hexadecimal(random(), count: 16)
        current = (fresh, now.advanced(byMilliseconds: Int64(lifetimeSeconds) * 1000))
        lastCount = 0
        return fresh
    }

    /// Whether correct credentials may be accepted; each request count is accepted only once.
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
