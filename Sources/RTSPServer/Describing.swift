import Media
import RTP
import RTSP
import Reactor
import SDP
import Streams

/// The session description of a stream, as DESCRIBE answers it.
enum Describing {
    /// Text of the description for a client that came to `local`.
    ///
    /// - Parameter keys: for each track, what brings its key; `nil` where none has one.
    static func description(
        of entry: PathDirectory.Entry, _ announcement: Streams.Stream.Announcement, local: SocketAddress,
        keys: [String]?
    ) -> DescribeAnswer {
        let description = SessionDescription.live(
            title: entry.options.title, description: entry.options.description, tracks: announcement.tracks,
            // Not the group where the path is multicast too: live555 asks for multicast whenever `c=` is a group.
            connection: .unspecified(ipVersion: local.family == .ipv4 ? .ipv4 : .ipv6),
            originSessionID: UInt64(bitPattern: entry.stream.epoch.nanoseconds), originVersion: announcement.version,
            originAddress: local.host, controls: true, avpf: false,
            extensions: entry.options.sendsAbsoluteCaptureTime ? [.absoluteCaptureTime] : [], keys: keys)
        return DescribeAnswer(sdp: Array(description.text.utf8))
    }

    /// The refusal for a path whose input has ended for good.
    static func ended(_ path: String) -> Refusal {
        Refusal(.notFound, reason: "Not Found: \(path) has ended")
    }

    /// The refusal for a path where nothing is; the log says the nearest, the reason phrase helps who types, with paths that
    /// are theirs.
    static func notFound(_ path: String, among directory: PathDirectory, for grant: Grant) -> Refusal {
        let paths = directory.paths.filter { grant.admits(.read, $0) }
        if path == "/" {
            let list = paths.prefix(20).joined(separator: " ")
            return Refusal(
                .notFound, reason: list.isEmpty ? "Not Found: no stream yet" : "Not Found: there are \(list)")
        }
        guard let nearest = nearestName(to: path, among: paths) else { return Refusal(.notFound) }
        return Refusal(.notFound, reason: "Not Found: nearest is \(nearest)")
    }
}

extension ExtensionMap {
    fileprivate static let absoluteCaptureTime = Self(
        identifier: UInt16(AbsoluteCaptureTime.identifier), uri: AbsoluteCaptureTime.uri)
}
