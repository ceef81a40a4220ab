import CLinux
import Glibc

/// An open file descriptor with one owner. It is closed exactly once, at the latest at the end of its lifetime.
public struct Descriptor: ~Copyable, Sendable {
    /// The descriptor's number, valid as long as this value exists.
    public let fd: Int32

    /// Takes ownership of `fd`; no other code may close it.
    public init(adopting fd: Int32) {
        self.fd = fd
    }

    /// Takes ownership of `fd`, the result of `call`; throws if the call failed.
    init(_ fd: Int32, from call: StaticString) throws(SystemError) {
        guard fd >= 0 else { throw .last(call) }
        self.init(adopting: fd)
    }

    deinit {
        // Linux releases the number even if close reports an error, so that close must not be repeated.
        _ = Glibc.close(fd)
    }

    /// Closes the descriptor now.
    public consuming func close() {}

    /// Blocks until there is something to read, or for `milliseconds`; returns false if nothing came.
    func waitToRead(milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&wanted, 1, milliseconds) } > 0
    }

    /// Gives up ownership: the caller must close the returned number.
    public consuming func release() -> Int32 {
        let fd = fd
        discard self
        return fd
    }
}

/// The process's limit on open descriptors, which also limits the number of viewers.
public enum DescriptorLimit {
    /// Raises the limit as far as possible without privileges; returns the new limit.
    @discardableResult
    public static func raise() -> UInt64 {
        clinux_raise_descriptor_limit()
    }
}
