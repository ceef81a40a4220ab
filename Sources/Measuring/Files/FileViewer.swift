import Media
import NIOCore
import NIOHTTP1
import RTSP
import Reactor

/// One viewer of a file: requests it, answers a challenge for a password, and reads fragments. Confined to the event loop.
final class FileViewer: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    let record: ViewerRecord
    private let file: FileStream
    private var login: ClientLogin?
    private unowned let bench: FilesBench
    private var context: ChannelHandlerContext?
    private var reader = FragmentReader()
    private var response = Response.awaited
    /// Another challenge after an answer means that the password is wrong.
    private var hasAnsweredChallenge = false

    private enum Response {
        case awaited
        /// A challenge has come; the request is repeated when its response is complete.
        case challenge
        case media
    }

    init(_ file: FileStream, _ record: ViewerRecord, of bench: FilesBench) {
        (self.file, login, self.record, self.bench) = (file, file.login, record, bench)
    }

    // MARK: The connection

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        request(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        end(.endedByServer)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failed("\(error)"))
        context.close(promise: nil)
    }

    /// Ends the viewer for this reason, if it has not ended.
    func end(_ reason: FileEnd) {
        guard record.end == nil else { return }
        record.end = .file(reason)
        if record.playing == nil { bench.viewerSettled(at: .now()) }
        context?.close(promise: nil)
    }

    /// Closes the connection, as the plan says.
    func leave() { end(.finished) }

    // MARK: Requests and responses

    private func request(_ context: ChannelHandlerContext) {
        var fields: HTTPHeaders = ["Host": file.authority, "User-Agent": "apus-bench", "Accept": "video/mp4"]
        if let authorization = login?.authorization(for: Method(rawValue: "GET"), file.target) {
            fields.add(name: "Authorization", value: authorization)
        }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: file.target, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): received(head)
        case .body(let bytes): if case .media = response { received(bytes) }
        case .end:
            guard case .challenge = response else { return end(.endedByServer) }
            response = .awaited
            request(context)
        }
    }

    private func received(_ head: HTTPResponseHead) {
        switch head.status {
        case .ok:
            response = .media
            record.played(firstSequenceNumbers: [], at: .now())
            bench.viewerSettled(at: .now())
        case .unauthorized
        where !hasAnsweredChallenge && login?.handleChallenges(head.headers["WWW-Authenticate"]) == true:
            (response, hasAnsweredChallenge) = (.challenge, true)
        default: end(.refused(status: head.status.code, reason: head.status.reasonPhrase))
        }
    }

    private func received(_ bytes: ByteBuffer) {
        let now = MonotonicTime.now()
        do throws(MP4Failure) {
            try reader.read(bytes) { element in
                switch element {
                case .tracks(let tracks): described(tracks)
                case .fragment(let fragment): bench.received(fragment, by: record, at: now)
                }
            }
        } catch {
            end(.invalid(error))
        }
    }

    /// A later init segment with the same number of tracks describes the same tracks; their counters go on.
    private func described(_ tracks: [MovieTracks.Track]) {
        guard record.tracks.count != tracks.count else { return }
        record.described(rates: tracks.map(\.rate), mainTrack: tracks.firstIndex(where: \.isVideo) ?? 0)
    }
}
