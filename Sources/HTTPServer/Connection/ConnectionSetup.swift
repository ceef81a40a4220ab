import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Adds the handlers of HTTP to the pipeline of a connection. Confined to the event loop.
struct ConnectionSetup {
    let server: ServerContext
    let facts: ConnectionFacts

    /// Adds the handlers of HTTP/1.1, which also serve HTTP/1.0.
    func addHTTP1(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let gate = RequestGate(server.options.connection)
        try pipeline.addHandler(gate)
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: server.decoderLimits)))
        try pipeline.addHandler(RequestHandler(server, gate: gate, facts, AccessControl(server)))
    }

    /// Adds the handlers of HTTP/2. Each stream is a channel with a pipeline of its own, which ends in the same handler.
    func addHTTP2(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let options = server.options.connection
        let connection = HTTP2Connection(options) { [server, facts] error in
            server.log.debug("connection closed", peer: facts.peer.description, reason: "HTTP/2: \(error)")
        }
        let bound = NIOLoopBound(
            (connection: connection, facts: facts, access: AccessControl(server)), eventLoop: pipeline.eventLoop)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: pipeline.eventLoop, connectionConfiguration: .init(options),
            streamConfiguration: .init(options)
        ) { [server] stream in
            stream.eventLoop.makeCompletedFuture {
                let (connection, facts, access) = bound.value
                let gate = StreamGate(server.options.connection, on: connection)
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(gate)
                try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try pipeline.addHandler(RequestHandler(server, gate: gate, facts, access))
            }
        }
        try pipeline.addHandler(FrameLimiter())
        try pipeline.addHandler(handler)
        try pipeline.addHandler(connection)
    }
}

extension ServerContext {
    /// The parser's own limits, which the gate reaches first.
    fileprivate var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = options.connection.requests.headByteCount
        limits.maxHeaderListSize = options.connection.requests.headByteCount
        limits.maxHeaderFieldCount = options.connection.requests.headerCount
        return limits
    }
}
