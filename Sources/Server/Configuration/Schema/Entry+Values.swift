import Reactor
import Yams

// The kinds of value that an option may have. Each reads the text of one scalar and says what it expects.

extension Entry {
    /// A whole number within `range`.
    static func integer(
        _ key: String, _ member: WritableKeyPath<Section, Int>, in range: ClosedRange<Int>, unit: String = "",
        _ reason: String
    ) -> Self {
        let bounds = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return value(
            key, member, expecting: unit.isEmpty ? bounds : "\(bounds) (\(unit))", reason,
            form: OptionForm(.integer(range, unit: unit), member) { .number($0) },
            parse: { text, style in style == .plain ? Int(text).flatMap { range.contains($0) ? $0 : nil } : nil },
            show: { "\($0)" },
            // `16M` is understood, but only bitrates are written so.
            advice: { text in
                Bitrate(text).flatMap {
                    text.last?.isLetter == true && range.contains($0.value) ? "write \($0.value)" : nil
                }
            })
    }

    /// A bitrate within `range`, in bit/s: `4000000`, `4M` or `500k`.
    static func bitrate(
        _ key: String, _ member: WritableKeyPath<Section, Int>, in range: ClosedRange<Int>, _ reason: String
    ) -> Self {
        value(
            key, member,
            expecting:
                "a whole number from \(range.lowerBound) to \(range.upperBound) (bits per second), \(Bitrate.example)",
            reason, form: OptionForm(.integer(range, unit: "bits per second"), member) { .number($0) },
            parse: { text, style in
                style == .plain ? Bitrate(text).flatMap { range.contains($0.value) ? $0.value : nil } : nil
            },
            show: { "\($0)" })
    }

    /// `true` or `false`.
    static func boolean(_ key: String, _ member: WritableKeyPath<Section, Bool>, _ reason: String) -> Self {
        let words = ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false]
        return value(
            key, member, expecting: "true or false", reason, form: OptionForm(.flag, member) { .flag($0) },
            parse: { text, style in style == .plain ? words[text.lowercased()] : nil },
            show: { $0 ? "true" : "false" })
    }

    /// One line of text.
    static func text(
        _ key: String, _ member: WritableKeyPath<Section, String>, maximumBytes: Int = 200, _ reason: String
    ) -> Self {
        value(
            key, member, expecting: "one line of text, at most \(maximumBytes) bytes", reason,
            form: OptionForm(.text(maximumByteCount: maximumBytes), member) { .text($0) },
            parse: { text, _ in isLine(text, maximumBytes: maximumBytes) ? text : nil },
            show: quoted)
    }

    /// A numeric address of this host, or "" for none.
    static func address(
        _ key: String, _ member: WritableKeyPath<Section, String>, _ reason: String
    ) -> Self {
        value(
            key, member, expecting: "a numeric address of this host, or \"\"", reason,
            parse: { text, _ in text.isEmpty || SocketAddress(text, port: 0) != nil ? text : nil }, show: quoted)
    }

    /// One of the words of an enumeration.
    ///
    /// - Parameter formerWords: words of earlier releases, with the present word of each.
    static func choice<Choice: RawRepresentable & CaseIterable & Equatable>(
        _ key: String, _ member: WritableKeyPath<Section, Choice>, unit: String = "",
        formerWords: [String: String] = [:], _ reason: String
    ) -> Self where Choice.RawValue == String {
        choice(
            key, member, among: Array(Choice.allCases), word: \.rawValue, unit: unit, formerWords: formerWords, reason)
    }

    /// One of a few values, each with a word.
    ///
    /// - Parameters:
    ///   - choices: in the order of the reference file.
    ///   - word: as the configuration calls the value.
    ///   - formerWords: words of earlier releases, with the present word of each.
    static func choice<Choice: Equatable>(
        _ key: String, _ member: WritableKeyPath<Section, Choice>, among choices: [Choice],
        word: @escaping (Choice) -> String, unit: String = "", formerWords: [String: String] = [:], _ reason: String
    ) -> Self {
        let words = choices.map(word)
        let expectation = "one of " + words.joined(separator: ", ") + (unit.isEmpty ? "" : " (\(unit))")
        return value(
            key, member, expecting: expectation, words: words, formerWords: formerWords, reason,
            form: OptionForm(.choice(words), member) { .text(word($0)) },
            parse: { text, _ in choices.first { word($0) == text } }, show: word)
    }

    /// One of the words of an enumeration, or null.
    static func optionalChoice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ member: WritableKeyPath<Section, Choice?>, formerWords: [String: String] = [:],
        _ reason: String
    ) -> Self where Choice.RawValue == String {
        let words = Choice.allCases.map(\.rawValue)
        let entry: Self = value(
            key, member, expecting: "one of " + words.joined(separator: ", "), words: words, formerWords: formerWords,
            reason, parse: { text, _ in Choice(rawValue: text).map(Optional.some) }, show: { $0?.rawValue ?? "null" })
        return Entry(
            key: key,
            read: { node, path, section, reading in
                if node.isNothing { return section[keyPath: member] = nil }
                entry.read(node, path, &section, &reading)
            },
            content: entry.content)
    }

    /// A value with a textual form of its own.
    ///
    /// - Parameters:
    ///   - words: all values, if there are only a few. The one that a wrong value probably means is suggested.
    ///   - formerWords: values of earlier releases, with the present value of each.
    ///   - form: the option as a value of a type, if it may be changed over HTTP.
    ///   - advice: what to write instead of a wrong value.
    static func value<Value>(
        _ key: String, _ member: WritableKeyPath<Section, Value>, expecting expectation: String,
        words: [String] = [], formerWords: [String: String] = [:], _ reason: String,
        form: OptionForm<Section>? = nil,
        parse: @escaping (String, Node.Scalar.Style) -> Value?, show: @escaping (Value) -> String,
        advice: @escaping (String) -> String? = { _ in nil }
    ) -> Self {
        Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .scalar(let scalar) = node, !node.isNothing else {
                    return reading.note("expects \(expectation), not \(node.kind)", at: node, path)
                }
                let word = formerWords[scalar.string]
                if let word {
                    reading.noteFormerName(
                        "`\(scalar.string)` is called `\(word)` now; the old name still works", at: node, path)
                }
                guard let value = parse(word ?? scalar.string, scalar.style) else {
                    let hint =
                        advice(scalar.string).map { "; \($0)" }
                        ?? suggestion(for: scalar.string, among: words).map { "; did you mean `\($0)`?" }
                    return reading.note("expects \(expectation), not \(node.kind)\(hint ?? "")", at: node, path)
                }
                section[keyPath: member] = value
            },
            content: .option(
                OptionText(expectation: expectation, reason: reason, value: { show($0[keyPath: member]) })),
            form: form)
    }
}
