import CLinux

/// The process's heap.
public enum Heap {
    /// Returns free memory to the system. glibc otherwise keeps the fragmented memory of a peak for ever. Takes milliseconds,
    /// during which other threads that allocate may wait: must not be called on a loop that serves viewers.
    public static func trim() {
        clinux_trim_heap()
    }

    /// Fixes from which size on a block is returned to the system as soon as it is freed (1 MB, so that frames stay in the heap), and how
    /// much free memory the heap keeps at its end (2 MB). Otherwise glibc raises the first to the largest block that was ever freed, up
    /// to 32 MB, and the second to twice as much: a single large frame would cost that memory for ever. Should be called before any
    /// thread starts.
    public static func limitFreeMemory() {
        clinux_limit_free_heap(1 << 20, 2 << 20)
    }

    /// Disables transparent huge pages for the process. libx264 asks for pages of 2 MB and uses only part of them: 6 MB more at
    /// 720p without a gain in speed. Should be called before any thread starts.
    public static func useSmallPages() {
        clinux_use_small_pages()
    }
}
