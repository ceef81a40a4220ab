import Media
import RTP
import RTSP
import Reactor
import SDP
import Streams

/// The parts of a response to DESCRIBE.
enum DescribeResponse {
    /// The session description for a client that connected to `local`.
    ///
    /// - Parameter keys: the MIKEY message of each track; `nil` without SRTP.
    static func description(
        of entry: PathDirectory.Entry, _ announcement: Streams.Stream.Announcement, local: SocketAddress,
        keys: [String]?
    ) -> DescribeAnswer {
        let description = SessionDescription.live(
            title: entry.options.title, description: entry.options.description, tracks: announcement.tracks,
            // Not the group, even if the path is multicast too: live555 asks for multicast whenever `c=` is a group.
            connection: .unspecified(ipVersion: local.family == .ipv4 ? .ipv4 : .ipv6),
            originSessionID: UInt64(bitPattern: entry.stream.epoch.nanoseconds), originVersion: announcement.version,
            originAddress: local.host, controls: true, avpf: false,
            extensions: entry.options.headerExtensions.extensions.map(ExtensionMap.init), keys: keys)
        return DescribeAnswer(sdp: Array(description.text.utf8))
    }

    /// The refusal for a path with an input that has ended for good.
    static func ended(_ path: String) -> Refusal {
        Refusal(.notFound, reason: "Not Found: \(path) has ended")
    }

    /// The refusal for an unknown path. The reason phrase suggests a path that the client may read; the log names the nearest of
    /// all paths.
    static func notFound(_ path: String, among directory: PathDirectory, for grant: Grant) -> Refusal {
        let paths = directory.paths.filter { grant.admits(.read, $0) }
        if path == "/" {
            let list = paths.prefix(20).joined(separator: " ")
            return Refusal(
                .notFound, reason: list.isEmpty ? "Not Found: no stream yet" : "Not Found: available are \(list)")
        }
        guard let nearest = nearestName(to: path, among: paths) else { return Refusal(.notFound) }
        return Refusal(.notFound, reason: "Not Found: did you mean \(nearest)?")
    }
}

extension ExtensionMap {
    fileprivate init(_ headerExtension: HeaderExtension) {
        self.init(identifier: UInt16(headerExtension.identifier), uri: headerExtension.uri)
    }
}
