import Foundation
import TestSupport

/// One system call that is to fail once.
struct Fault: CustomStringConvertible {
    /// The system calls, numbered as in `Faults.c`.
    enum Call: Int32 {
        case accept = 1
        case recv, send, sendmsg, sendmmsg, recvmmsg, epollControl, socket, connect, poll, fsync
    }

    /// The threads with calls that count, numbered as in `Faults.c`.
    enum Thread: Int32 {
        case any
        /// The threads that request `access.httpCallback`.
        case callback
    }

    /// The worst effect that the affected client may notice.
    enum Effect: Int, Comparable {
        /// No effect.
        case none
        /// Missing packets.
        case loss
        /// The end of its connection.
        case end

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    enum Transport {
        case tcp, udp
        /// RTSP over TLS and SRTP over UDP.
        case srtp
    }

    let call: Call
    /// The transport of the client.
    let transport: Transport
    /// The value of `errno`, or `short` for a partial result.
    let code: Int32
    let effect: Effect
    /// The number of the failing call, beginning with 1.
    var number: Int32 = 1
    var thread = Thread.any

    static let short: Int32 = -1

    var description: String {
        "\(call) \(number): \(code == Self.short ? "short" : String(cString: strerror(code)))"
    }

    /// All errors that Linux documents, each at the first calls of a session.
    static var all: [Self] {
        every(
            .accept, over: .tcp, [EINTR, EAGAIN, ECONNABORTED, EPROTO, ENETUNREACH, EMFILE, ENFILE, ENOBUFS, ENOMEM],
            effect: .none)
            + every(.recv, over: .tcp, [EINTR, EAGAIN, short], effect: .none, first: 5)
            + every(.recv, over: .tcp, [ECONNRESET, ETIMEDOUT, EHOSTUNREACH, ENOBUFS, ENOMEM], effect: .end, first: 5)
            + every(.send, over: .tcp, [EINTR, EAGAIN, short], effect: .none, first: 4)
            + every(.send, over: .tcp, [ECONNRESET, EPIPE, ENETUNREACH, ENOBUFS, ENOMEM], effect: .end, first: 4)
            + every(.sendmsg, over: .tcp, [EINTR, EAGAIN, short], effect: .none, first: 3)
            + every(.sendmsg, over: .tcp, [ECONNRESET, EPIPE, ENETUNREACH, ENOBUFS, ENOMEM], effect: .end, first: 3)
            + every(.sendmmsg, over: .udp, [EINTR, EAGAIN, short], effect: .none, first: 2)
            + every(
                .sendmmsg, over: .udp, [ENOBUFS, ENETUNREACH, EHOSTUNREACH, EPERM, EIO, EMSGSIZE], effect: .loss,
                first: 2)
            + every(.sendmmsg, over: .udp, [ECONNREFUSED], effect: .end, first: 2)
            // The sender report, for which no frame waits.
            + every(.sendmsg, over: .udp, [EINTR, EAGAIN, ENOBUFS, ENETUNREACH, EPERM, ECONNREFUSED], effect: .none)
            + every(.recvmmsg, over: .udp, [EINTR, EAGAIN, ECONNREFUSED, ENOBUFS, ENOMEM], effect: .none)
            + every(.epollControl, over: .tcp, [ENOMEM, ENOSPC], effect: .end)
    }

    /// Faults that affect encrypted viewers: in the TLS connection, in RTP and in RTCP.
    static var srtp: [Self] {
        every(.recv, over: .srtp, [EINTR, EAGAIN, short], effect: .none, first: 4)
            + every(.recv, over: .srtp, [ECONNRESET, ETIMEDOUT], effect: .end, first: 4)
            + every(.send, over: .srtp, [EINTR, EAGAIN, short], effect: .none, first: 4)
            + every(.send, over: .srtp, [ECONNRESET, EPIPE], effect: .end, first: 4)
            + every(.sendmmsg, over: .srtp, [EINTR, EAGAIN, short], effect: .none, first: 2)
            + every(
                .sendmmsg, over: .srtp, [ENOBUFS, ENETUNREACH, EHOSTUNREACH, EPERM, EIO, EMSGSIZE], effect: .loss,
                first: 2)
            + every(.sendmmsg, over: .srtp, [ECONNREFUSED], effect: .end, first: 2)
            + every(.sendmsg, over: .srtp, [EINTR, EAGAIN, ENOBUFS, ENETUNREACH, EPERM, ECONNREFUSED], effect: .none)
            + every(.recvmmsg, over: .srtp, [EINTR, EAGAIN, ECONNREFUSED, ENOBUFS, ENOMEM], effect: .none)
    }

    /// Faults of the request to the web server. If the request fails, the client gets 503.
    static var callback: [Self] {
        let refused =
            every(.socket, over: .tcp, [EMFILE, ENFILE, ENOBUFS, ENOMEM, EACCES], effect: .end)
            + every(.connect, over: .tcp, [ECONNREFUSED, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL, EINTR], effect: .end)
            + every(.send, over: .tcp, [EINTR, ECONNRESET, EPIPE, ENOBUFS, ENOMEM], effect: .end)
            + every(.recv, over: .tcp, [EINTR, ECONNRESET, ETIMEDOUT, ENOMEM], effect: .end)
            + every(.poll, over: .tcp, [EINTR, ENOMEM], effect: .end)
        let unnoticed =
            every(.send, over: .tcp, [EAGAIN, short], effect: .none)
            + every(.recv, over: .tcp, [EAGAIN, short], effect: .none)
        return (refused + unnoticed).map { fault in
            var fault = fault
            fault.thread = .callback
            return fault
        }
    }

    private static func every(
        _ call: Call, over transport: Transport, _ codes: [Int32], effect: Effect, first count: Int32 = 1
    ) -> [Self] {
        codes.flatMap { code in
            (1...count).map { Self(call: call, transport: transport, code: code, effect: effect, number: $0) }
        }
    }
}

/// Tells the preloaded library which call fails next, by memory that it shares with the test.
final class FaultPlan {
    private let library: String
    private let file: String
    private let folder: TemporaryFolder
    /// The fields: call, code, countdown, hits, thread.
    private let numbers: UnsafeMutablePointer<Int32>
    private static let byteCount = 20

    /// Compiles the library.
    init() async throws {
        folder = try TemporaryFolder()
        (library, file) = (folder.file("faults.so"), folder.file("plan"))
        let source = Checkout.path("Tests/Faults/Faults.c")
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

    /// The environment of a server that preloads the library.
    var prefix: [String] { ["env", "LD_PRELOAD=\(library)", "APUS_FAULTS=\(file)"] }

    /// Makes the call with the fault's number fail.
    func arm(_ fault: Fault) {
        (numbers[0], numbers[1], numbers[3]) = (fault.call.rawValue, fault.code, 0)
        numbers[4] = fault.thread.rawValue
        numbers[2] = fault.number
    }

    /// Whether the call has failed since the fault was armed.
    var wasReached: Bool { numbers[3] > 0 }

    /// Disarms the fault.
    func disarm() {
        numbers[2] = 0
    }
}
