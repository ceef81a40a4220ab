import Media

/// A notification of a service to systemd (sd_notify(3)).
enum SystemdNotice: Hashable, Sendable {
    /// The service serves; with a status line.
    case ready(String)
    /// The service reloads its configuration; `ready` follows.
    case reloading(since: MonotonicTime)
    /// The service is stopping.
    case stopping
    /// The service is alive. Must be repeated before the watchdog timeout.
    case alive

    /// The datagram: an assignment per line.
    var text: String {
        switch self {
        case .ready(let status): "READY=1\nSTATUS=\(printable(status))"
        case .reloading(let start):
            "RELOADING=1\nMONOTONIC_USEC=\(start.nanoseconds / 1_000)\nSTATUS=reading the configuration again"
        case .stopping: "STOPPING=1\nSTATUS=disconnecting viewers"
        case .alive: "WATCHDOG=1"
        }
    }
}
