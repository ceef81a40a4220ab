import CLinux

/// The processors that the process may use.
public enum Processors {
    /// Their numbers, ascending: fewer than the host has where a container or `taskset` says so.
    public static func usable() -> [Int] {
        var numbers = [Int32](repeating: 0, count: 1024)
        let count = clinux_usable_processors(&numbers, Int32(numbers.count))
        return numbers[..<Int(count)].map(Int.init)
    }
}
