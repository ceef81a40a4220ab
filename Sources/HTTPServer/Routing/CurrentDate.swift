import HTTP
import Reactor
import Synchronization

/// The value of the header `Date`, which is written once a second for all responses. Thread-safe.
final class CurrentDate: Sendable {
    private let written = Mutex<(second: Int64, text: String)>((.min, ""))

    var text: String {
        let second = WallClock.unixNanoseconds() / 1_000_000_000
        return written.withLock { written in
            if written.second != second { written = (second, httpDate(unixSeconds: second)) }
            return written.text
        }
    }
}
