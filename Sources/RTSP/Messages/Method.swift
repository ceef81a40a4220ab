/// A request method (RFC 2326, section 10). The names are case-sensitive.
public struct Method: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let options = Method(rawValue: "OPTIONS")
    public static let describe = Method(rawValue: "DESCRIBE")
    public static let announce = Method(rawValue: "ANNOUNCE")
    public static let setUp = Method(rawValue: "SETUP")
    public static let play = Method(rawValue: "PLAY")
    public static let pause = Method(rawValue: "PAUSE")
    public static let tearDown = Method(rawValue: "TEARDOWN")
    public static let getParameter = Method(rawValue: "GET_PARAMETER")
    public static let setParameter = Method(rawValue: "SET_PARAMETER")
    public static let redirect = Method(rawValue: "REDIRECT")
    public static let record = Method(rawValue: "RECORD")

    /// The methods that this server supports, in the order of `Public` and `Allow`. VLC and ffmpeg look for GET_PARAMETER there,
    /// ExoPlayer for DESCRIBE.
    public static let served: [Method] = [
        .options, .describe, .setUp, .play, .pause, .tearDown, .getParameter, .setParameter, .announce, .record,
    ]

    /// The methods of RFC 2326 that this server does not support: it answers 405 instead of 501.
    static let known: [Method] = [.redirect]
}
