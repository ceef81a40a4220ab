import Foundation
import TestSupport

/// Attacks on limited resources.
extension Attack {
    static let limits: [Attack] = [
        Attack(
            "silent connections", in: "RTSP/Server/ConnectionTimer.swift",
            guard: "mayIdle && idleDeadline <= now ? .idle",
            effect: "the connection is closed after 5 s", scope: .all, length: .patient
        ) { target in
            let sockets = try (0..<20).map { _ in try target.connect() }
            pause(5)
            for socket in sockets { try socket.expectEnd() }
        },
        Attack(
            "exhausting the descriptors", in: "RTSPServer/Connections/Acceptor.swift",
            guard: "state.pausedUntil = now + Self.pause",
            effect: "new connections wait without using processor time; current viewers continue"
        ) { target in
            // Without TLS in all settings, because fewer unfinished handshakes than descriptors are allowed.
            let thread = "apus-accept"
            let sockets = try (0..<Target.descriptorLimit).map { _ in try LoopbackSocket(port: target.server.port) }
            pause(0.1)
            let before = target.work(ofThreadsNamed: thread)
            pause(0.5)
            let work = target.work(ofThreadsNamed: thread) - before
            // In hundredths of a second; a busy loop would use 50.
            try verify(work < 15, "the server used \(work) hundredths of 0.5 s")
            try verify(target.descriptorCount >= Target.descriptorLimit - 8, "some descriptors are left")
            withExtendedLifetime(sockets) {}
        },
        Attack(
            "filling the log", in: "Serving/LogRateLimiter.swift", guard: "guard messages.takeOne(at: now) else",
            effect: "8 lines per minute and the number of omitted lines"
        ) { target in
            let socket = try target.logIn()
            let before = target.server.log.utf8.count
            for number in 0..<300 { try socket.request("DESCRIBE", target.url("nothing\(number)")).expect(404) }
            let growth = target.server.log.utf8.count - before
            try verify(growth < 20_000, "\(growth) bytes")
        },
        Attack(
            "terminal control characters in the log", in: "Server/Log/PrintableText.swift",
            guard: "(0x7F...0x9F).contains(scalar.value)", effect: "the log contains them in escaped form"
        ) { target in
            let socket = try target.logIn()
            let agent = ["User-Agent": "\u{9B}2Jevil"]
            let (url, session) = try target.setUp(on: socket)
            _ = try socket.request("DESCRIBE", target.url(), agent)
            try socket.request("PLAY", url, session).expect(200)
            let isLogged = soon { target.server.log.contains("\\u{9b}2Jevil") }
            try verify(isLogged && !target.server.log.contains("\u{9B}"), "\(target.server.log.suffix(300))")
        },
        Attack(
            "the control socket, by another user of the host", in: "Reactor/Unix/UnixListener.swift",
            guard: "guard fchmod(descriptor.fd, 0o600) == 0", effect: "only the server's user may connect"
        ) { target in
            let mode = try FileManager.default.attributesOfItem(atPath: target.folder.file("control"))[
                .posixPermissions]
            try verify((mode as? NSNumber)?.intValue == 0o600, "\(mode ?? "none")")
        },
        Attack(
            "silent clients of the control socket", in: "Server/Control/ControlServer.swift",
            guard: "guard state.clients.count < Self.maximumClients",
            effect: "16 are kept for 5 s, others are closed at once"
        ) { target in
            let silent = try (0..<24).map { _ in try UnixStream(to: target.folder.file("control")) }
            let areRejected = soon { silent.count { $0.hasReceived } == 24 - 16 }
            try verify(areRejected, "\(silent.count { $0.hasReceived }) of 24 were closed")
        },
    ]
}

/// A client of a Unix socket.
private final class UnixStream {
    private let descriptor: Int32

    init(to path: String) throws {
        descriptor = socket(AF_UNIX, LoopbackSocket.streamType, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let connected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // All properties are initialized, so `deinit` closes the socket.
        guard connected == 0 else { throw Breach(description: "connect \(path): \(errno)") }
    }

    deinit { close(descriptor) }

    var hasReceived: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Foundation.poll(&poll, 1, 0) > 0
    }
}
