import CLinux
import Glibc

/// An open file descriptor, owned: closed exactly once, at the latest when its owner goes away.
public struct Descriptor: ~Copyable, Sendable {
    /// The number by which the kernel knows it, valid for as long as this value lives.
    public let fd: Int32

    /// Takes over `fd`, which nobody else closes from now on.
    public init(adopting fd: Int32) {
        self.fd = fd
    }

    /// Takes over what `call` answered.
    init(_ fd: Int32, from call: StaticString) throws(SystemError) {
        guard fd >= 0 else { throw .last(call) }
        self.init(adopting: fd)
    }

    deinit {
        // Linux releases the number even where close reports an error: there is nothing to try again.
        _ = Glibc.close(fd)
    }

    /// Closes it now.
    public consuming func close() {}

    /// Gives up ownership: the caller closes the answered number.
    public consuming func release() -> Int32 {
        let fd = fd
        discard self
        return fd
    }
}

/// The limit on open descriptors, which bounds the viewers of a server.
public enum DescriptorLimit {
    /// Raises the process's limit to the most that it may have without privileges; answers the limit then in force.
    @discardableResult
    public static func raise() -> UInt64 {
        clinux_raise_descriptor_limit()
    }
}
