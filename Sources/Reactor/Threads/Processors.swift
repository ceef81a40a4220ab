import CLinux

/// The processors that the process may use.
public enum Processors {
    /// Their numbers, ascending: fewer than the host has where a container or `taskset` says so.
    public static func usable() -> [Int] {
        var numbers = [Int32](repeating: 0, count: 1024)
        let count = clinux_usable_processors(&numbers, Int32(numbers.count))
        return numbers[..<Int(count)].map(Int.init)
    }

    /// Keeps the calling thread on one of them; answers whether the process may.
    @discardableResult
    public static func pinThisThread(on processor: Int) -> Bool {
        guard let number = Int32(exactly: processor) else { return false }
        return clinux_pin_this_thread(number) == 0
    }
}
