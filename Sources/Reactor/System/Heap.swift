import CLinux

/// The process's heap.
public enum Heap {
    /// Gives what is free back to the host: glibc keeps what a crowd has used, in pieces, for ever. Takes milliseconds,
    /// during which others that allocate may wait: not for a loop that serves viewers.
    public static func trim() {
        clinux_trim_heap()
    }

    /// Keeps the process to pages of a few kilobytes, whatever the host and its libraries would rather have. libx264 asks for
    /// pages of 2 MB, of which it fills a part: 6 MB more at 720p, and no faster at that. Best called before any thread runs.
    public static func useSmallPages() {
        clinux_use_small_pages()
    }
}
