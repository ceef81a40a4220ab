import Logging
import Synchronization

/// The least level that is written, which may change while the server runs. From any thread.
public final class LogThreshold: Sendable {
    /// Index among all levels.
    private let index: Atomic<Int>

    public init(_ level: Logger.Level = .info) {
        index = Atomic(Self.index(of: level))
    }

    public var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        // All cases are among all cases.
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}

extension Logger.Level {
    /// Both enumerations have the same words; a test says so.
    public init(_ level: Configuration.Log.Level) {
        self = Self(rawValue: level.rawValue) ?? .info
    }
}
