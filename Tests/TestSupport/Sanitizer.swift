import Foundation
import Testing

/// What the tests and the server under test are built with beside themselves: `script/test --sanitize`.
public enum Sanitizer: String, Sendable {
    case address
    case thread

    /// `nil` where they are built as always.
    public static let current = ProcessInfo.processInfo.environment["APUS_SANITIZER"].flatMap(Sanitizer.init(rawValue:))

    /// How many times as long things may take.
    public static var patience: Double {
        switch current {
        case nil: 1
        case .address: 3
        case .thread: 10
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of how long something takes: with a sanitizer it takes several times as long.
    public static var timed: Self { .enabled(if: Sanitizer.current == nil, "a sanitizer takes time") }
}
