import CLinux
import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable {
    /// The name of the call, such as `bind`.
    public let call: StaticString
    /// The value of `errno`.
    public let code: Int32

    public init(call: StaticString, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The failure of `call` that has just happened on this thread.
    static func last(_ call: StaticString) -> SystemError {
        SystemError(call: call, code: errno)
    }

    /// Whether the process or the host is out of descriptors; the call can succeed after some are closed.
    public var isDescriptorExhaustion: Bool { code == EMFILE || code == ENFILE }

    /// Whether another socket uses the address or port.
    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// Whether permission is missing, for example for ports below 1024.
    public var isPermissionDenied: Bool { code == EACCES || code == EPERM }
}

extension SystemError: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.call.description == right.call.description
    }
}

extension SystemError: CustomStringConvertible {
    /// For example `bind: Address already in use (98)`.
    public var description: String {
        var text = [CChar](repeating: 0, count: 128)
        let isKnown = strerror_r(code, &text, text.count) == 0
        let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let message = isKnown ? String(decoding: bytes, as: UTF8.self) : "unknown error"
        return "\(call): \(message) (\(code))"
    }
}

/// Runs `body`, again if a signal interrupts it (EINTR).
@inline(__always)
func uninterrupted<Result: SignedInteger>(_ body: () -> Result) -> Result {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}
