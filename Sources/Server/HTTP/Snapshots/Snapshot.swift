import Codecs
import HTTPServer
import Media
import Streams

/// A frame of a stream as a JPEG file.
struct Snapshot: Sendable {
    let image: JPEGImage
    /// Another one for another frame, another width and another run of the server.
    let entityTag: String
    /// When the frame was captured; `nil` if that is unknown.
    let captured: NTPTime?

    /// The response, or 304 if the client has this image already.
    func response(to request: Request) -> Response {
        if request.knows(entityTag) { return Self.notModified(entityTag) }
        var headers = [("Content-Type", "image/jpeg")] + Self.validators(entityTag)
        // Milliseconds, as in docs/http-websocket.md. A Double has microseconds until the year 2255.
        if let captured { headers.append(("Capture-Time", "\(Double(captured.unixNanoseconds / 1_000) / 1_000)")) }
        return Response(headers: headers, body: image.bytes)
    }

    static func notModified(_ entityTag: String) -> Response {
        Response(.notModified, headers: validators(entityTag))
    }

    /// A client asks each time, because the next frame is only milliseconds away.
    private static func validators(_ entityTag: String) -> [(name: String, value: String)] {
        [("ETag", entityTag), ("Cache-Control", "no-cache")]
    }
}

/// A decoded frame, of which snapshots of several widths are made.
struct SnapshotFrame: Sendable {
    let frame: SharedFrame
    let id: FrameID
    let captured: NTPTime?

    /// Decodes the newest frame of a stream from the last keyframe on, which may take some hundred milliseconds.
    ///
    /// Behind a recovery point (intra refresh) no frame may be complete yet. Then decoding begins one earlier.
    init(of stream: Streams.Stream) throws(Problem) {
        do throws(CodecFailure) {
            for keyframes in 1...2 {
                guard let recent = stream.recentFrames(keyframes: keyframes) else { break }
                guard let newest = try VideoDecoder.newestFrame(of: recent.units, recent.codec) else { continue }
                let unit = recent.units.last { $0.presentationTime.ticks == newest.presentationTime }
                (frame, id, captured) = (try newest.shared(), recent.newest, unit?.captured)
                return
            }
        } catch {
            throw Problem(.internalServerError, "the frame cannot be decoded: \(error.reason)")
        }
        throw Problem(.serviceUnavailable, "\(stream.path) has no frame that can be decoded", retryAfter: 1)
    }

    /// - Parameter run: differs between two runs of the server.
    func snapshot(_ width: SnapshotWidth, run: String) throws(Problem) -> Snapshot {
        do throws(CodecFailure) {
            return Snapshot(
                image: try JPEGImage(frame.frame(), width: width.pixels),
                entityTag: id.entityTag(width, run: run), captured: captured)
        } catch {
            throw Problem(.internalServerError, "the frame cannot be encoded as JPEG: \(error.reason)")
        }
    }
}

extension FrameID {
    /// The entity tag of a snapshot of this frame.
    func entityTag(_ width: SnapshotWidth, run: String) -> String {
        "\"\(run)-\(announcementCount)-\(ticks)-\(width.pixels ?? 0)\""
    }
}
