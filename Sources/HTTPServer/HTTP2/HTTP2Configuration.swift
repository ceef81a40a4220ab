import NIOHTTP2

/// The limits of SwiftNIO's handler of HTTP/2. Beyond each of them it closes the connection.
extension NIOHTTP2Handler.ConnectionConfiguration {
    init(_ options: ConnectionOptions) {
        self.init()
        initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: options.maximumStreamCount),
            HTTP2Setting(parameter: .maxHeaderListSize, value: options.maximumHeaderListSize),
        ]
        controlFrameRateLimit.maximumCount = options.maximumControlFrameCount
        // Frames that wait are the response headers of each stream, and answers to control frames. The rate of control frames is limited.
        maximumBufferedControlFrames = 2 * options.maximumStreamCount + options.maximumControlFrameCount
    }
}

extension NIOHTTP2Handler.StreamConfiguration {
    init(_ options: ConnectionOptions) {
        self.init()
        streamResetFrameRateLimit.maximumCount = options.maximumResetCount
        streamErrorRateLimit.maximumCount = options.maximumResetCount
        // Those of a connection, so that a live body is given as much at once as over HTTP/1.1.
        (outboundBufferSizeHighWatermark, outboundBufferSizeLowWatermark) = (65_536, 32_768)
    }
}

extension ConnectionOptions {
    /// The longest list of headers (RFC 9113, section 6.5.2), which counts 32 bytes beside each. Shorter lists that are too long get 431.
    fileprivate var maximumHeaderListSize: Int { requests.headByteCount + 32 * requests.headerCount }
}
