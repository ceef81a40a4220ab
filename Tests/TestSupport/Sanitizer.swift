import Foundation
import Testing

/// The sanitizer with which the tests and the server under test are built: `script/test --sanitize`.
public enum Sanitizer: String, Sendable {
    case address
    case thread

    /// `nil` without a sanitizer.
    public static let current = ProcessInfo.processInfo.environment["APUS_SANITIZER"].flatMap(Sanitizer.init(rawValue:))

    /// The factor by which time limits are multiplied.
    public static var patience: Double {
        switch current {
        case nil: 1
        case .address: 3
        case .thread: 10
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of a duration, because a sanitizer slows the server down several times.
    public static var timed: Self { .enabled(if: Sanitizer.current == nil, "a sanitizer changes the timing") }
}
