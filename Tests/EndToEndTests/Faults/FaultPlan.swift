import Foundation
import TestSupport

/// One system call that is to fail once.
struct Fault: CustomStringConvertible {
    /// As `Faults.c` numbers them.
    enum Call: Int32 {
        case accept = 1
        case recv, send, sendmsg, sendmmsg, recvmmsg, epollControl, socket, connect, poll, fsync
    }

    /// Whose calls count. As `Faults.c` numbers them.
    enum Thread: Int32 {
        case any
        /// Those that ask the web server of `access.httpCallback`.
        case callback
    }

    /// What the client whose call it was may notice.
    enum Harm: Int, Comparable {
        /// It misses nothing.
        case none
        /// Packets are missing.
        case loss
        /// Its connection ends.
        case end

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    enum Transport {
        case tcp, udp
        /// RTSP through TLS, and media by SRTP over UDP.
        case srtp
    }

    let call: Call
    /// Over which a client reaches it.
    let transport: Transport
    /// What `errno` is; `short` for less than was asked for.
    let code: Int32
    let harm: Harm
    /// Which call of that name it is, from 1.
    var number: Int32 = 1
    var thread = Thread.any

    static let short: Int32 = -1

    var description: String {
        "\(call) \(number): \(code == Self.short ? "short" : String(cString: strerror(code)))"
    }

    /// All that Linux names, each at the first calls of a session.
    static var all: [Self] {
        every(
            .accept, .tcp, [EINTR, EAGAIN, ECONNABORTED, EPROTO, ENETUNREACH, EMFILE, ENFILE, ENOBUFS, ENOMEM], .none)
            + every(.recv, .tcp, [EINTR, EAGAIN, short], .none, first: 5)
            + every(.recv, .tcp, [ECONNRESET, ETIMEDOUT, EHOSTUNREACH, ENOBUFS, ENOMEM], .end, first: 5)
            + every(.send, .tcp, [EINTR, EAGAIN, short], .none, first: 4)
            + every(.send, .tcp, [ECONNRESET, EPIPE, ENETUNREACH, ENOBUFS, ENOMEM], .end, first: 4)
            + every(.sendmsg, .tcp, [EINTR, EAGAIN, short], .none, first: 3)
            + every(.sendmsg, .tcp, [ECONNRESET, EPIPE, ENETUNREACH, ENOBUFS, ENOMEM], .end, first: 3)
            + every(.sendmmsg, .udp, [EINTR, EAGAIN, short], .none, first: 2)
            + every(.sendmmsg, .udp, [ENOBUFS, ENETUNREACH, EHOSTUNREACH, EPERM, EIO, EMSGSIZE], .loss, first: 2)
            + every(.sendmmsg, .udp, [ECONNREFUSED], .end, first: 2)
            // The sender report, which a picture does not wait for.
            + every(.sendmsg, .udp, [EINTR, EAGAIN, ENOBUFS, ENETUNREACH, EPERM, ECONNREFUSED], .none)
            + every(.recvmmsg, .udp, [EINTR, EAGAIN, ECONNREFUSED, ENOBUFS, ENOMEM], .none)
            + every(.epollControl, .tcp, [ENOMEM, ENOSPC], .end)
    }

    /// What encrypted viewers depend on: their TLS connection, their packets and their reports.
    static var srtp: [Self] {
        every(.recv, .srtp, [EINTR, EAGAIN, short], .none, first: 4)
            + every(.recv, .srtp, [ECONNRESET, ETIMEDOUT], .end, first: 4)
            + every(.send, .srtp, [EINTR, EAGAIN, short], .none, first: 4)
            + every(.send, .srtp, [ECONNRESET, EPIPE], .end, first: 4)
            + every(.sendmmsg, .srtp, [EINTR, EAGAIN, short], .none, first: 2)
            + every(.sendmmsg, .srtp, [ENOBUFS, ENETUNREACH, EHOSTUNREACH, EPERM, EIO, EMSGSIZE], .loss, first: 2)
            + every(.sendmmsg, .srtp, [ECONNREFUSED], .end, first: 2)
            + every(.sendmsg, .srtp, [EINTR, EAGAIN, ENOBUFS, ENETUNREACH, EPERM, ECONNREFUSED], .none)
            + every(.recvmmsg, .srtp, [EINTR, EAGAIN, ECONNREFUSED, ENOBUFS, ENOMEM], .none)
    }

    /// What asking a web server depends on. If it cannot be asked, the client that it is asked about is told 503.
    static var callback: [Self] {
        let refused =
            every(.socket, .tcp, [EMFILE, ENFILE, ENOBUFS, ENOMEM, EACCES], .end)
            + every(.connect, .tcp, [ECONNREFUSED, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL, EINTR], .end)
            + every(.send, .tcp, [EINTR, ECONNRESET, EPIPE, ENOBUFS, ENOMEM], .end)
            + every(.recv, .tcp, [EINTR, ECONNRESET, ETIMEDOUT, ENOMEM], .end)
            + every(.poll, .tcp, [EINTR, ENOMEM], .end)
        let unnoticed =
            every(.send, .tcp, [EAGAIN, short], .none) + every(.recv, .tcp, [EAGAIN, short], .none)
        return (refused + unnoticed).map { fault in
            var fault = fault
            fault.thread = .callback
            return fault
        }
    }

    private static func every(
        _ call: Call, _ transport: Transport, _ codes: [Int32], _ harm: Harm, first count: Int32 = 1
    ) -> [Self] {
        codes.flatMap { code in
            (1...count).map { Self(call: call, transport: transport, code: code, harm: harm, number: $0) }
        }
    }
}

/// What the library that a server was started with makes fail next: memory that it shares with the test.
final class FaultPlan {
    private let library: String
    private let file: String
    private let folder: TemporaryFolder
    /// The call, the code, the countdown, the hits, the threads.
    private let numbers: UnsafeMutablePointer<Int32>
    private static let byteCount = 20

    /// Compiles the library.
    init() async throws {
        folder = try TemporaryFolder()
        (library, file) = (folder.file("faults.so"), folder.file("plan"))
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Faults/Faults.c").path
        let outcome = try await Command.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source], within: 30)
        guard outcome.status == 0 else { throw Command.Failure.cannotStart(outcome.diagnostics) }
        try Data(count: Self.byteCount).write(to: URL(filePath: file))
        let descriptor = open(file, O_RDWR)
        defer { close(descriptor) }
        let memory = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard descriptor >= 0, let memory, memory != MAP_FAILED else {
            throw Command.Failure.cannotStart("mmap: \(errno)")
        }
        numbers = memory.bindMemory(to: Int32.self, capacity: 5)
    }

    deinit {
        munmap(numbers, Self.byteCount)
    }

    /// What a server is started with that is to obey.
    var prefix: [String] { ["env", "LD_PRELOAD=\(library)", "APUS_FAULTS=\(file)"] }

    /// Has the next call of that number fail.
    func arm(_ fault: Fault) {
        (numbers[0], numbers[1], numbers[3]) = (fault.call.rawValue, fault.code, 0)
        numbers[4] = fault.thread.rawValue
        numbers[2] = fault.number
    }

    /// Has nothing fail any more.
    ///
    /// - Returns: whether the call has failed.
    func disarm() -> Bool {
        numbers[2] = 0
        return numbers[3] > 0
    }
}
