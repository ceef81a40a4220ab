import Logging
import Synchronization

/// The least severe level that is logged. It may change while the server runs. May be used from any thread.
public final class LogThreshold: Sendable {
    /// The index of the level among all levels.
    private let index: Atomic<Int>

    public init(_ level: Logger.Level = .info) {
        index = Atomic(Self.index(of: level))
    }

    public var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        // `allCases` contains each case.
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
