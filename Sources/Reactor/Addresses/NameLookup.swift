import CLinux
import Glibc
import Media
import Synchronization

/// Looks up the addresses of hosts. A name server may not answer for half a minute, so look-ups have threads of their own.
public enum NameLookup {
    /// The threads of all look-ups of the process, `apus-names`.
    private static let pool = WorkPool(name: "apus-names", threadLimit: 4, waitingLimit: 64)

    /// Looks up `host`, a name or a numeric address as in a URL, and passes its addresses to `answer`, in the order in which to try
    /// them; none if it has none. Returns at once.
    ///
    /// - Parameters:
    ///   - answer: is called on a thread of the look-ups; for a numeric address, before this returns.
    ///   - resolve: the look-up that blocks; tests replace it.
    /// - Returns: whether there will be an answer: not if too many look-ups wait.
    public static func find(
        _ host: String, port: UInt16, resolve: @escaping @Sendable (String) -> [SocketAddress] = SocketAddress.resolved,
        _ answer: @escaping @Sendable ([SocketAddress]) -> Void
    ) -> Bool {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        if let literal = SocketAddress(bare, port: port) {
            answer([literal])
            return true
        }
        return pool.run { answer(resolve(bare).map { $0.with(port: port) }) }
    }

    /// The same for callers that may block, but not longer than until `deadline`.
    ///
    /// - Returns: `nil` if there was no answer in time, or if the process has no file descriptor left.
    public static func addresses(
        of host: String, port: UInt16, until deadline: MonotonicTime,
        resolve: @escaping @Sendable (String) -> [SocketAddress] = SocketAddress.resolved
    ) -> [SocketAddress]? {
        NameQuery(host, port: port, resolve: resolve)?.wait(until: deadline)
    }
}

/// A name look-up in progress. An event loop watches ``fd`` until there is an answer; a thread calls ``wait(until:)``. Thread-safe.
public final class NameQuery: Sendable {
    private let addresses = Mutex<[SocketAddress]?>(nil)
    private let bell: Doorbell

    /// Starts the look-up.
    ///
    /// - Returns: `nil` if too many look-ups wait, or if the process has no file descriptor left.
    public init?(
        _ host: String, port: UInt16, resolve: @escaping @Sendable (String) -> [SocketAddress] = SocketAddress.resolved
    ) {
        guard let bell = try? Doorbell() else { return nil }
        self.bell = bell
        guard NameLookup.find(host, port: port, resolve: resolve, { self.set($0) }) else { return nil }
    }

    /// Becomes readable when there is an answer, and stays so until `wait`.
    public var fd: Int32 { bell.fd }
    /// The host's addresses, in the order in which to try them; none if it has none; `nil` before the answer.
    public var answer: [SocketAddress]? { addresses.withLock(\.self) }

    private func set(_ found: [SocketAddress]) {
        addresses.withLock { $0 = found }
        bell.ring()
    }

    /// Blocks until there is an answer, but not longer than until `deadline`.
    public func wait(until deadline: MonotonicTime) -> [SocketAddress]? {
        while true {
            if let answer { return answer }
            let remaining = deadline - .now()
            guard remaining > 0 else { return nil }
            bell.wait(milliseconds: Int32(clamping: remaining / 1_000_000 + 1))
        }
    }
}

extension SocketAddress {
    /// The addresses of a host by the system's resolver, without port. Blocks during the look-up.
    public static func resolved(_ name: String) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let entry else { return nil }
            return address(of: entry.pointee)
        }
    }

    private static func address(of entry: addrinfo) -> SocketAddress? {
        guard let address = entry.ai_addr else { return nil }
        var storage = sockaddr_storage()
        let byteCount = min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: byteCount))
        }
        return SocketAddress(storage)
    }
}
