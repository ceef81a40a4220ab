/// An error in the text of a timetable.
public struct TimetableError: Error, Equatable, CustomStringConvertible {
    public let description: String
}

extension Timetable {
    /// Reads settings such as `loss 2% delay 40ms jitter 10ms rate 4mbit queue 100ms at 5s down at 7s up`. The settings after
    /// `at` hold from that time on, and change only what they name. An empty text impairs nothing.
    public init(_ text: String) throws(TimetableError) {
        var words = Words(text)
        var settings = Impairments()
        var start: Int64 = 0
        var entries: [Entry] = []
        while let word = words.next() {
            if word == "at" {
                try settings.validate()
                entries.append(Entry(startNanoseconds: start, settings: settings))
                let next = try words.duration(of: word)
                guard next > start else { throw TimetableError(description: "at: the times must rise") }
                start = next
            } else {
                try settings.read(word, &words)
            }
        }
        try settings.validate()
        entries.append(Entry(startNanoseconds: start, settings: settings))
        self.init(entries: entries)
    }
}

extension Impairments {
    /// Reads the setting `name` and its values.
    fileprivate mutating func read(_ name: String, _ words: inout Words) throws(TimetableError) {
        switch name {
        case "loss": loss = try words.lossModel()
        case "delay": delayNanoseconds = try words.duration(of: name)
        case "jitter": jitterNanoseconds = try words.duration(of: name)
        case "reorder":
            var read = Reordering(probability: try words.share(of: name))
            if words.skip("by") { read.holdNanoseconds = try words.duration(of: "by") }
            reordering = read.probability > 0 ? read : nil
        case "rate":
            let bitsPerSecond = try words.bitRate(of: name)
            rateLimit = RateLimit(bitsPerSecond: bitsPerSecond, queue: rateLimit?.queue ?? .nanoseconds(100_000_000))
        case "queue":
            guard rateLimit != nil else { throw TimetableError(description: "queue: needs a rate before it") }
            rateLimit?.queue = try words.queueDepth(of: name)
        case "down": isDown = true
        case "up": isDown = false
        default: throw TimetableError(description: "unknown setting \(name)")
        }
    }

    fileprivate func validate() throws(TimetableError) {
        guard jitterNanoseconds <= delayNanoseconds else {
            throw TimetableError(description: "jitter: must not exceed the delay")
        }
    }
}

/// The words of the text, read from left to right.
private struct Words {
    private var rest: ArraySlice<String>

    init(_ text: String) {
        rest = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)[...]
    }

    mutating func next() -> String? { rest.popFirst() }

    /// Consumes the next word if it is `word`.
    mutating func skip(_ word: String) -> Bool {
        guard rest.first == word else { return false }
        rest.removeFirst()
        return true
    }

    /// Nanoseconds, such as `40ms`.
    mutating func duration(of name: String) throws(TimetableError) -> Int64 {
        try quantity(of: name, "a duration, such as 40ms", ["us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9])
    }

    /// Bits per second, such as `4mbit`.
    mutating func bitRate(of name: String) throws(TimetableError) -> Int64 {
        let example = "a rate above 0, such as 4mbit"
        let rate = try quantity(of: name, example, ["bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9])
        guard rate > 0 else { throw TimetableError(description: "\(name): 0 is not \(example)") }
        return rate
    }

    mutating func queueDepth(of name: String) throws(TimetableError) -> QueueDepth {
        let bytes = ["b": 1, "kb": 1e3, "mb": 1e6]
        if let word = rest.first, let count = quantity(word, bytes) {
            rest.removeFirst()
            return .bytes(count)
        }
        return .nanoseconds(try duration(of: name))
    }

    /// A share from 0 to 1, written as a percentage such as `2%`.
    mutating func share(of name: String) throws(TimetableError) -> Double {
        let word = rest.popFirst() ?? ""
        guard let share = share(word) else {
            throw TimetableError(description: "\(name): \(word) is not a percentage, such as 2%")
        }
        return share
    }

    mutating func lossModel() throws(TimetableError) -> LossModel {
        guard skip("gilbert-elliott") else { return .independent(try share(of: "loss")) }
        var channel = GilbertElliott(enter: try share(of: "gilbert-elliott"), leave: try share(of: "gilbert-elliott"))
        if let loss = optionalShare() { channel.lossWhenBad = loss }
        if let loss = optionalShare() { channel.lossWhenGood = loss }
        return .gilbertElliott(channel)
    }

    /// The next word if it is a percentage.
    private mutating func optionalShare() -> Double? {
        guard let word = rest.first, let share = share(word) else { return nil }
        rest.removeFirst()
        return share
    }

    private func share(_ word: String) -> Double? {
        guard word.hasSuffix("%"), let percent = Double(word.dropLast()), (0...100).contains(percent) else {
            return nil
        }
        return percent / 100
    }

    private mutating func quantity(
        of name: String, _ example: String, _ units: [String: Double]
    ) throws(TimetableError) -> Int64 {
        let word = rest.popFirst() ?? ""
        guard let value = quantity(word, units) else {
            throw TimetableError(description: "\(name): \(word) is not \(example)")
        }
        return value
    }

    /// A number directly followed by one of `units`.
    private func quantity(_ word: String, _ units: [String: Double]) -> Int64? {
        let number = word.prefix { $0.isNumber || $0 == "." }
        guard let factor = units[String(word.dropFirst(number.count))], let value = Double(number) else { return nil }
        // Larger than any sensible value, and far from overflow.
        guard value * factor < 1e15 else { return nil }
        return Int64((value * factor).rounded())
    }
}
