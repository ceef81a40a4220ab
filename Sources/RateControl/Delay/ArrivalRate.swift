/// The rate at which bytes arrived during the last 400 ms, in the receiver's clock.
struct ArrivalRate: Sendable {
    private var byteCounts = InlineArray<9, Int64>(repeating: 0)
    /// The number of the newest interval, which is not complete.
    private var newest: Int64?
    /// Complete intervals, at most one less than there are counts.
    private var completeCount: Int64 = 0

    private static let interval: Int64 = 50_000_000

    mutating func received(byteCount: Int, arrival: Int64) {
        let number = arrival.quotientFloored(dividingBy: Self.interval)
        advance(to: number)
        guard let newest, newest - number < Int64(byteCounts.count) else { return }
        let index = index(number)
        // At most 64 KB a packet, and too few packets to overflow.
        byteCounts[index] = byteCounts[index] &+ Int64(min(max(0, byteCount), 65_535))
    }

    /// `nil` until packets have arrived for 100 ms.
    var rate: DataRate? {
        guard let newest, completeCount >= 2 else { return nil }
        var sum: Int64 = 0
        for age in 1...completeCount { sum &+= byteCounts[index(newest - age)] }
        return DataRate(byteCount: sum, nanoseconds: completeCount * Self.interval)
    }

    private mutating func advance(to number: Int64) {
        guard let last = newest else {
            newest = number
            return
        }
        guard number > last || last - number > 100 else { return }
        // The receiver's clock was set, or nothing arrived for so long that nothing is known.
        guard number > last, number - last < 100 else {
            self = ArrivalRate()
            newest = number
            return
        }
        for next in last + 1...number { byteCounts[index(next)] = 0 }
        newest = number
        completeCount = min(completeCount + number - last, Int64(byteCounts.count - 1))
    }

    private func index(_ number: Int64) -> Int {
        let remainder = Int(number % Int64(byteCounts.count))
        return remainder < 0 ? remainder + byteCounts.count : remainder
    }
}

extension Int64 {
    fileprivate func quotientFloored(dividingBy divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
