import Foundation
import TestSupport

/// One system call that is to fail once.
struct Fault: CustomStringConvertible {
    /// As `Faults.c` numbers them.
    enum Call: Int32 {
        case accept = 1
        case recv, send, sendmsg, sendmmsg, recvmmsg, epollControl
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
    }

    let call: Call
    /// Over which a client reaches it.
    let transport: Transport
    /// What `errno` is; `short` for less than was asked for.
    let code: Int32
    let harm: Harm
    /// Which call of that name it is, from 1.
    var number: Int32 = 1

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
    /// The call, the code, the countdown, the hits.
    private let numbers: UnsafeMutablePointer<Int32>
    private static let byteCount = 16

    /// Compiles the library.
    init() async throws {
        folder = try TemporaryFolder()
        (library, file) = (folder.file("faults.so"), folder.file("plan"))
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Faults/Faults.c").path
        let outcome = try await Command.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source], within: 30)
        guard outcome.status == 0 else { throw Command.Failure.cannotStart(outcome.complaint) }
        try Data(count: Self.byteCount).write(to: URL(filePath: file))
        let descriptor = open(file, O_RDWR)
        defer { close(descriptor) }
        let memory = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard descriptor >= 0, let memory, memory != MAP_FAILED else {
            throw Command.Failure.cannotStart("mmap: \(errno)")
        }
        numbers = memory.bindMemory(to: Int32.self, capacity: 4)
    }

    deinit {
        munmap(numbers, Self.byteCount)
    }

    /// What a server is started with that is to obey.
    var prefix: [String] { ["env", "LD_PRELOAD=\(library)", "APUS_FAULTS=\(file)"] }

    /// Has the next call of that number fail.
    func arm(_ fault: Fault) {
        (numbers[0], numbers[1], numbers[3]) = (fault.call.rawValue, fault.code, 0)
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
