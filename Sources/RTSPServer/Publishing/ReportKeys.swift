import Media
import RTP
import RTSP
import Reactor

/// Our keys for the receiver reports on an announced stream: one for each medium that uses SRTP.
struct ReportKeys {
    /// A key, and the message that tells it to the publisher.
    struct ReportKey {
        let key: MasterKey
        /// GStreamer takes it from the answer to ANNOUNCE, gortsplib from that to SETUP.
        let message: MIKEYMessage
    }

    /// The source of our receiver reports.
    let source: SSRC
    private let dialect: ClientDialect
    private var keys: [Int: ReportKey] = [:]

    init(source: SSRC, dialect: ClientDialect) {
        (self.source, self.dialect) = (source, dialect)
    }

    /// The key of a medium, which is made at the first call.
    ///
    /// - Parameter suite: that of the publisher's packets, because the publisher supports it; `nil` if it is not known.
    mutating func key(
        ofMedium index: Int, _ suite: CipherSuite?, using numbers: inout SystemRandomNumberGenerator
    ) -> ReportKey {
        if let key = keys[index] { return key }
        let key = MasterKey.random(
            suite ?? .counterMode, identifierByteCount: dialect.keyIdentifierByteCount, by: { numbers.next() })
        let message = MIKEYMessage(
            key, ssrc: source.rawValue, bundle: numbers.next(),
            timestamp: NTPTime(unixNanoseconds: WallClock.unixNanoseconds()).rawValue,
            random: (0..<16).map { _ in numbers.next() })
        let made = ReportKey(key: key, message: message)
        keys[index] = made
        return made
    }
}
