import RTSP

extension Configuration {
    /// What the server does about networks that lose packets.
    public struct Network: Hashable, Sendable {
        public var retransmit = true
        public var retransmitPercent = 25
        public var retransmitBurstPackets = 64
        public var retransmitMegabitsPerLoop = 100
        public var duplicate = true
        /// Addresses of clients that are sent packets twice from the start.
        public var duplicateTo: [AddressBlock] = []
        public var fallToTCP = true
        public var moveAllClients = false

        public init() {}
    }
}

extension Schema<Configuration.Network> {
    static var network: Self {
        Schema(
            takingEffect: .serverRestart,
            .boolean(
                "retransmit", \.retransmit,
                "Whether lost UDP packets are sent again to clients that ask for them: ffmpeg, mpv, GStreamer and programs "
                    + "made with them."),
            .integer(
                "retransmitPercent", \.retransmitPercent, in: 1...100, unit: "percent of the bitrate of the stream",
                "What may be sent again to one viewer; 25 repairs 20 % loss."),
            .integer(
                "retransmitBurstPackets", \.retransmitBurstPackets, in: 1...1_000, unit: "packets",
                "What may be sent again to one viewer at once; 64 packets are a keyframe of 90 kB."),
            .integer(
                "retransmitMegabitsPerLoop", \.retransmitMegabitsPerLoop, in: 1...1_000, unit: "Mbit/s",
                "What may be sent again to all viewers of an event loop; 100 take a twentieth of its time."),
            .boolean(
                "duplicate", \.duplicate,
                "Whether UDP packets are sent twice to clients that cannot ask for lost ones, while they lose some: to live555, "
                    + "which reports losses, and to VLC's SAT>IP module, if other clients at its address have reported some."
            ),
            .blocks(
                "duplicateTo", \.duplicateTo,
                "Addresses and networks whose VLC (SAT>IP) is sent each UDP packet twice from the start, such as 192.168.7.0/24 "
                    + "for a Wi-Fi. This doubles their bitrate."),
            .boolean(
                "fallToTCP", \.fallToTCP,
                "Whether clients whose last two sessions over UDP lacked more than 1 % of the packets are referred to TCP (461), for "
                    + "ten minutes: ffmpeg, GStreamer and live555, which then try it by themselves."),
            .boolean(
                "moveAllClients", \.moveAllClients,
                "Whether all viewers of a path with rate: renditions move between renditions, also those whose player is not known "
                    + "to survive a change of the picture's size. FFmpeg's players, GStreamer and live555 are known to; VLC of "
                    + "Debian did in a test. Recorders never move."))
    }
}
