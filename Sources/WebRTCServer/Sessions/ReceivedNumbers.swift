import RTP

/// Which of the newest packets of an RTP stream have been received, by their sequence numbers.
///
/// Browsers send packets again that nobody has requested, to measure the path. They are recognised by it. It allocates
/// memory for the first packet only.
struct ReceivedNumbers {
    /// The newest packets that are known: four times as many as are requested again after a gap. A divisor of 65 536.
    static let capacity = 1_024

    private var newest: SequenceNumber?
    /// Bit n of word w stands for the numbers whose remainder by the capacity is 64 w + n.
    private var received: [UInt64] = []

    /// Records a packet.
    mutating func insert(_ number: SequenceNumber) {
        guard let newest, abs(number.distance(from: newest)) < Self.capacity else { return begin(at: number) }
        let distance = number.distance(from: newest)
        if distance > 0 {
            for step in 1...distance { mark(newest.advanced(by: step), isReceived: false) }
            self.newest = number
        }
        mark(number, isReceived: true)
    }

    /// Whether a packet with this number is new: it comes after the newest one, or is missing among those before it.
    /// Those before the first packet are not missing.
    func lacks(_ number: SequenceNumber) -> Bool {
        guard let newest else { return true }
        let distance = number.distance(from: newest)
        guard distance <= 0 else { return true }
        let place = Self.place(of: number)
        return -distance < Self.capacity && received[place.word] & place.bit == 0
    }

    /// The sender has begun, or begun anew, or more was lost than is known.
    private mutating func begin(at number: SequenceNumber) {
        newest = number
        received = [UInt64](repeating: .max, count: Self.capacity / 64)
    }

    private mutating func mark(_ number: SequenceNumber, isReceived: Bool) {
        let place = Self.place(of: number)
        if isReceived { received[place.word] |= place.bit } else { received[place.word] &= ~place.bit }
    }

    private static func place(of number: SequenceNumber) -> (word: Int, bit: UInt64) {
        let index = Int(number.rawValue) % capacity
        return (index / 64, 1 << UInt64(index % 64))
    }
}
