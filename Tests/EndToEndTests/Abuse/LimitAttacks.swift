import Foundation
import TestSupport

/// What there is only so much of.
extension Attack {
    static let limits: [Attack] = [
        Attack(
            "connections that say nothing", "RTSP/Server/ConnectionTimer.swift",
            "mayIdle && idleDeadline <= now ? .idle",
            "the end after 5 s", .all, .patient
        ) { target in
            let sockets = try (0..<20).map { _ in try target.connect() }
            pause(5)
            for socket in sockets { try socket.expectEnd() }
        },
        Attack(
            "all descriptors", "RTSPServer/Acceptor.swift", "state.pausedUntil = now + Self.pause",
            "new ones wait, without work for the server; who watches goes on"
        ) { target in
            // In the clear, whichever way attackers come: there are fewer unfinished handshakes than descriptors.
            let thread = "apus-accept"
            let sockets = try (0..<Target.descriptorLimit).map { _ in try LoopbackSocket(port: target.server.port) }
            pause(0.1)
            let before = target.work(ofThreadsNamed: thread)
            pause(0.5)
            let work = target.work(ofThreadsNamed: thread) - before
            // In hundredths of a second; trying all the time would be 50.
            try hold(work < 15, "it worked for \(work) hundredths of 0.5 s")
            try hold(target.descriptorCount >= Target.descriptorLimit - 8, "it has some left")
            withExtendedLifetime(sockets) {}
        },
        Attack(
            "filling the log", "RTSPServer/LogBudget.swift", "guard tokens > 0 else",
            "8 lines a minute, and how many are missing"
        ) { target in
            let socket = try target.logIn()
            let before = target.server.log.utf8.count
            for number in 0..<300 { try socket.request("DESCRIBE", target.url("nothing\(number)")).expect(404) }
            let growth = target.server.log.utf8.count - before
            try hold(growth < 20_000, "\(growth) bytes")
        },
        Attack(
            "writing on the administrator's terminal", "Server/Log/PrintableText.swift",
            "(0x7F...0x9F).contains(scalar.value)", "in the log it is spelled out"
        ) { target in
            let socket = try target.logIn()
            let agent = ["User-Agent": "\u{9B}2Jevil"]
            let (url, session) = try target.setUp(on: socket)
            _ = try socket.request("DESCRIBE", target.url(), agent)
            try socket.request("PLAY", url, session).expect(200)
            let isTold = soon { target.server.log.contains("\\u{9b}2Jevil") }
            try hold(isTold && !target.server.log.contains("\u{9B}"), "\(target.server.log.suffix(300))")
        },
        Attack(
            "the control socket, by another user of the host", "Reactor/Unix/UnixListener.swift",
            "guard fchmod(descriptor.fd, 0o600) == 0", "it is its owner's alone"
        ) { target in
            let mode = try FileManager.default.attributesOfItem(atPath: target.folder.file("control"))[
                .posixPermissions]
            try hold((mode as? NSNumber)?.intValue == 0o600, "\(mode ?? "none")")
        },
        Attack(
            "the control socket, by who says nothing", "Server/Control/ControlServer.swift",
            "guard state.clients.count < Self.maximumClients", "16 are waited for, for 5 s; others are turned away"
        ) { target in
            let silent = try (0..<24).map { _ in try UnixStream(to: target.folder.file("control")) }
            let areTurnedAway = soon { silent.count { $0.hasReceived } == 24 - 16 }
            try hold(areTurnedAway, "\(silent.count { $0.hasReceived }) of 24 were turned away")
        },
    ]
}

/// A client of a socket in the file system.
private final class UnixStream {
    private let descriptor: Int32

    init(to path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let connected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            throw Breach(description: "connect \(path): \(errno)")
        }
    }

    deinit { close(descriptor) }

    var hasReceived: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Foundation.poll(&poll, 1, 0) > 0
    }
}
