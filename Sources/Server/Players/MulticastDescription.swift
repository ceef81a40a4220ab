import Media
import RTSP
import SDP

extension Configuration {
    /// The `.sdp` file with which players receive the multicast group of the path `name` without RTSP.
    ///
    /// - Parameter served: the running server's answer to DESCRIBE.
    /// - Throws: if the path is not multicast, or if the server does not know the format of all its tracks yet.
    public func multicastDescription(
        of name: String, served: SessionDescription
    ) throws(MulticastDescriptionFailure) -> SessionDescription {
        guard let path = servedPaths[name], path.multicast != .off, let group = multicastGroups[name] else {
            throw .notMulticast(name)
        }
        let tracks = served.media.enumerated().compactMap { $1.describedTrack?.track(id: TrackID($0)) }
        guard !tracks.isEmpty, tracks.count == served.media.count else { throw .unknownTracks(name) }
        let ports = tracks.map { PortPair(of: $0.id, from: UInt16(clamping: multicast.port)).rtp }
        return .live(
            title: served.name, description: served.information, tracks: tracks,
            connection: .multicast(
                group: "\(group)", timeToLive: UInt8(clamping: multicast.timeToLive), ports: ports),
            originSessionID: served.origin.sessionID, originVersion: served.origin.version,
            originAddress: served.origin.address, controls: false,
            extensions: served.media.first?.extensionMaps ?? [])
    }
}

/// Why there is no `.sdp` file for a path.
public enum MulticastDescriptionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case notMulticast(String)
    case unknownTracks(String)

    public var description: String {
        switch self {
        case .notMulticast(let name):
            "/\(name) is not multicast; set paths.\(name).multicast to always, or serve it with --multicast"
        case .unknownTracks(let name):
            "the server does not know the format of all tracks of /\(name) yet; try again when its source runs"
        }
    }
}
