import CLinux

/// The process's heap.
public enum Heap {
    /// Returns free memory to the system. glibc otherwise keeps the fragmented memory of a peak for ever. Takes milliseconds,
    /// during which other threads that allocate may wait: must not be called on a loop that serves viewers.
    public static func trim() {
        clinux_trim_heap()
    }

    /// Disables transparent huge pages for the process. libx264 asks for pages of 2 MB and uses only part of them: 6 MB more at
    /// 720p without a gain in speed. Should be called before any thread starts.
    public static func useSmallPages() {
        clinux_use_small_pages()
    }
}
