import Media

/// What a service tells systemd of itself (sd_notify(3)).
enum SystemdNotice: Hashable, Sendable {
    /// It serves, with a line about what.
    case ready(String)
    /// It reads its configuration again; `ready` follows.
    case reloading(since: MonotonicTime)
    /// It is ending.
    case stopping
    /// It is alive. To be told again before the watchdog's time is over.
    case alive

    /// The datagram: an assignment per line.
    var text: String {
        switch self {
        case .ready(let status): "READY=1\nSTATUS=\(printable(status))"
        case .reloading(let start):
            "RELOADING=1\nMONOTONIC_USEC=\(start.nanoseconds / 1_000)\nSTATUS=reading the configuration again"
        case .stopping: "STOPPING=1\nSTATUS=saying goodbye to the viewers"
        case .alive: "WATCHDOG=1"
        }
    }
}
