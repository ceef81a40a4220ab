import CLinux

/// The processors that the process may use.
public enum Processors {
    /// Returns their numbers in ascending order. A container or `taskset` may allow fewer than the host has.
    public static func usable() -> [Int] {
        var numbers = [Int32](repeating: 0, count: 1024)
        let count = clinux_usable_processors(&numbers, Int32(numbers.count))
        return numbers[..<Int(count)].map(Int.init)
    }

    /// Pins the calling thread to `processor`; returns whether the process may use it.
    @discardableResult
    public static func pinThisThread(on processor: Int) -> Bool {
        guard let number = Int32(exactly: processor) else { return false }
        return clinux_pin_this_thread(number) == 0
    }
}
