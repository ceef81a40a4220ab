import CLinux
import Glibc
import Media

/// An epoll instance and its event array.
struct Poller: ~Copyable {
    private let epoll: Descriptor
    private let storage: UnsafeMutableBufferPointer<epoll_event>

    init(capacity: Int = 256) throws(SystemError) {
        epoll = try Descriptor(epoll_create1(clinux_epoll_cloexec), from: "epoll_create1")
        storage = .allocate(capacity: capacity)
        storage.initialize(repeating: epoll_event())
    }

    deinit {
        storage.deallocate()
    }

    func add(_ fd: Int32, _ interest: Interest, _ token: Token) throws(SystemError) {
        try control(EPOLL_CTL_ADD, fd: fd, interest: interest, token: token)
    }

    func change(_ fd: Int32, _ interest: Interest, _ token: Token) throws(SystemError) {
        try control(EPOLL_CTL_MOD, fd: fd, interest: interest, token: token)
    }

    func remove(_ fd: Int32) {
        // Fails only if the descriptor is not watched, which is the wanted state.
        _ = epoll_ctl(epoll.fd, EPOLL_CTL_DEL, fd, nil)
    }

    private func control(
        _ operation: Int32, fd: Int32, interest: Interest, token: Token
    ) throws(SystemError) {
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token.rawValue))
        guard epoll_ctl(epoll.fd, operation, fd, &event) == 0 else { throw .last("epoll_ctl") }
    }

    /// Waits for `nanoseconds`, or without a limit if `nil`; returns the ready descriptors, valid until the next call.
    func wait(nanoseconds: Int64?) -> UnsafeBufferPointer<epoll_event> {
        let count: Int32
        if let nanoseconds {
            var limit = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            count = clinux_epoll_wait(epoll.fd, storage.baseAddress, Int32(storage.count), &limit)
        } else {
            count = clinux_epoll_wait(epoll.fd, storage.baseAddress, Int32(storage.count), nil)
        }
        // An interrupted wait returns no events: the loop reads the clock and waits again.
        return withoutWake(Int(max(count, 0)))
    }

    /// Removes the loop's own wake-up from the events of the handler.
    private func withoutWake(_ count: Int) -> UnsafeBufferPointer<epoll_event> {
        guard let wake = storage[..<count].firstIndex(where: { $0.data.u64 == Token.wake.rawValue }) else {
            return UnsafeBufferPointer(rebasing: storage[..<count])
        }
        storage[wake] = storage[count - 1]
        return UnsafeBufferPointer(rebasing: storage[..<(count - 1)])
    }
}
