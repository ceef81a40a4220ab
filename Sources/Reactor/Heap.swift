import CLinux

/// The process's heap.
public enum Heap {
    /// Gives what is free back to the host: glibc keeps what a crowd has used, in pieces, for ever. Takes milliseconds,
    /// during which others that allocate may wait: not for a loop that serves viewers.
    public static func trim() {
        clinux_trim_heap()
    }
}
