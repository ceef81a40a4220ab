extension Configuration {
    /// The socket for commands to the running server.
    public struct Control: Hashable, Sendable {
        /// Path of the socket; `auto` for one named after the port, empty for none.
        public var socket = "auto"

        public init() {}
    }
}

extension Schema<Configuration.Control> {
    static var control: Self {
        Schema(
            takingEffect: .serverRestart,
            .value(
                "socket", \.socket, expecting: "auto, a path that begins with / and has at most 107 bytes, or \"\"",
                "Path of a Unix socket that root, and the user that runs the server, may use. auto is "
                    + "$XDG_RUNTIME_DIR/apus/control-PORT, or /run/apus/control-PORT for root and if that variable is not set; "
                    + "PORT is server.port. \"\" for no socket.",
                parse: { text, _ in
                    let isPath = text.hasPrefix("/") && isLine(text, maximumBytes: 107)
                    return text.isEmpty || text == "auto" || isPath ? text : nil
                }, show: quoted))
    }
}
