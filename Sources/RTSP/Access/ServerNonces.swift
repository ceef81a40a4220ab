import Media
import Synchronization

/// The nonces of a server whose clients send one nonce over several connections, as clients of HTTP do (RFC 7616, section 3.3).
///
/// A nonce states when it was made, and contains a code that only this process can make, for the client's address. So a challenge
/// stores nothing, and a nonce is of no use at another address. What is stored are the request counts of the nonces with which a
/// correct password was sent: each count is accepted once, in any order within a window, because browsers send requests over
/// several connections at the same time. All connections share one instance; it may be used from any thread.
public final class ServerNonces: Sendable {
    /// The request counts that were accepted with one nonce.
    private struct Counts {
        let made: MonotonicTime
        var highest: UInt32 = 0
        /// Bit `n`: whether `highest - n` was accepted.
        var accepted: UInt64 = 0

        /// Accepts a count, unless it was accepted before or is too old to tell.
        mutating func admits(_ count: UInt32) -> Bool {
            if count > highest {
                let distance = count - highest
                accepted = distance < 64 ? accepted << UInt64(distance) | 1 : 1
                highest = count
                return true
            }
            let age = highest - count
            guard age < 64, accepted >> UInt64(age) & 1 == 0 else { return false }
            accepted |= 1 << UInt64(age)
            return true
        }
    }

    private struct State {
        var counts: [String: Counts] = [:]
        /// Nonces that were made before this are not accepted, because their counts were forgotten.
        var oldest = MonotonicTime(nanoseconds: .min)
    }

    /// The number of nonces whose counts are stored, at 100 bytes each: one for each browser that is logged in.
    static let capacity = 1024

    private let key: [UInt8]
    private let random: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter random: unpredictable numbers; called on the threads of all connections.
    public init(random: @escaping @Sendable () -> UInt64) {
        self.random = random
        key = (0..<4).flatMap { _ in Self.bytes(of: random()) }
    }

    /// A new nonce for a client at `address`.
    func text(for address: String, at now: MonotonicTime, _ hashes: HashFunctions) -> String {
        let time = UInt64(bitPattern: now.nanoseconds)
        let beginning = Digits.hexadecimal(time, count: 16) + Digits.hexadecimal(random(), count: 16)
        return beginning + code(of: beginning, for: address, hashes)
    }

    /// Whether correct credentials of a client at `address` may be accepted.
    func admits(
        _ credentials: DigestCredentials, from address: String, withinSeconds lifetimeSeconds: Int,
        at now: MonotonicTime,
        _ hashes: HashFunctions
    ) -> Bool {
        let nonce = credentials.nonce
        let beginning = String(nonce.prefix(32))
        guard let count = credentials.protection?.count, nonce.utf8.count == 64,
            let time = UInt64(nonce.prefix(16), radix: 16),
            hashes.areEqual(code(of: beginning, for: address, hashes), String(nonce.dropFirst(32)))
        else { return false }
        let made = MonotonicTime(nanoseconds: Int64(bitPattern: time))
        guard now < made.advanced(byMilliseconds: Int64(lifetimeSeconds) * 1000) else { return false }
        return state.withLock { state in
            guard made > state.oldest else { return false }
            var counts = state.counts[nonce] ?? Counts(made: made)
            guard counts.admits(count) else { return false }
            if state.counts[nonce] == nil { Self.makeRoom(in: &state) }
            state.counts[nonce] = counts
            return true
        }
    }

    /// Forgets the oldest nonce if the table is full. Its client gets another, without asking its user again.
    private static func makeRoom(in state: inout State) {
        guard state.counts.count >= capacity, let oldest = state.counts.min(by: { $0.value.made < $1.value.made })
        else { return }
        state.counts[oldest.key] = nil
        state.oldest = max(state.oldest, oldest.value.made)
    }

    /// The first 16 bytes of the code, in hexadecimal digits.
    private func code(of beginning: String, for address: String, _ hashes: HashFunctions) -> String {
        let code = hashes.authenticationCode(of: Array("\(beginning) \(address)".utf8), key: key)
        return Digits.hexadecimal(of: code.prefix(16))
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}
