import CLinux
import Glibc

/// Passes a closure to a new thread.
private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

/// Starts a thread that runs `body` and ends; the caller must join it with `pthread_join`.
public func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(&thread, nil, runWork, work.toOpaque())
    guard status == 0 else {
        work.release()
        throw SystemError(call: "pthread_create", code: status)
    }
    return thread
}

/// Starts a thread that runs `body` and ends; it needs no join.
///
/// - Parameter name: The thread's name; the kernel shows 15 bytes of it.
public func startDetachedThread(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let thread = try startThread {
        nameThisThread(name)
        body()
    }
    pthread_detach(thread)
}

/// Names the calling thread; the kernel shows 15 bytes of the name.
public func nameThisThread(_ name: String) {
    clinux_name_this_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
}

/// Lets the other threads of the process run before the calling thread if there are not enough processors (setpriority(2)). On Linux, a
/// nice value belongs to one thread.
///
/// - Parameter steps: what is added to the thread's nice value, which is at most 19.
public func yieldThisThread(by steps: Int32) {
    let kind = Int32(PRIO_PROCESS.rawValue)
    // Raising the value is always permitted.
    _ = setpriority(kind, 0, getpriority(kind, 0) + steps)
}

/// A function instead of a closure literal because a literal in `main.swift` would belong to the main actor.
private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
    return nil
}
