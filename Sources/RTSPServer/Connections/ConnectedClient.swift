import Media

/// What a connection has learnt about its client, and given to it.
struct ConnectedClient {
    /// Whether it was referred to TCP and has not tried it yet.
    var isReferredToTCP = false
    /// Its `User-Agent`, for its dialect and the log.
    var userAgent: String?
    /// The SRTP keys that were sent to it.
    var announcedKeys = AnnouncedKeys()
    /// Its connection's name for the external authoriser, which cannot be guessed.
    private(set) lazy var name = Self.randomName()
    /// When one of its sessions last began to play.
    private var lastJoin: MonotonicTime?

    /// The minimum time between two joins with a fast start, in nanoseconds.
    private static let joinInterval: Int64 = 500_000_000

    /// Notes that a session begins to play; false if another one has just done so. A fast start of up to a megabyte is packaged
    /// anew after each frame, so a client that plays again and again must not cost the loop its time.
    mutating func allowsFastStart(at now: MonotonicTime) -> Bool {
        defer { lastJoin = now }
        return lastJoin.map { now - $0 >= Self.joinInterval } ?? true
    }

    /// A random name in the format of a UUID (RFC 9562, version 4).
    private static func randomName() -> String {
        let numbers: [UInt16] = (0..<8).map { _ in .random(in: .min ... .max) }
        let words = numbers.enumerated().map { index, number in
            let number = index == 3 ? number & 0xFFF | 0x4000 : index == 4 ? number & 0x3FFF | 0x8000 : number
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
        return "\(words[0])\(words[1])-\(words[2])-\(words[3])-\(words[4])-\(words[5...].joined())"
    }
}
