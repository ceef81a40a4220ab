import Fuzzing

private let targets: [String: Target] = [
    "rtsp-parser": fuzzRTSPParser,
    "rtsp-connection": fuzzRTSPConnection,
    "rtsp-client": fuzzRTSPClient,
    "rtsp-publishing": fuzzRTSPPublishing,
    "rtsp-access": fuzzRTSPAccess,
    "transport-header": fuzzTransportHeader,
    "range-header": fuzzRangeHeader,
    "mikey": fuzzMIKEY,
    "srtp": fuzzSRTP,
    "authorization": fuzzAuthorization,
    "http2": fuzzHTTP2,
    "playback-requests": fuzzPlaybackRequests,
    "playlists": fuzzPlaylists,
    "socket-messages": fuzzSocketMessages,
    "challenge": fuzzChallenge,
    "passwords": fuzzPasswords,
    "sdp": fuzzSDP,
    "rtp-h264": fuzzRTPH264,
    "rtp-h265": fuzzRTPH265,
    "rtp-aac": fuzzRTPAAC,
    "rtp-audio": fuzzRTPAudio,
    "rtp-jpeg": fuzzRTPJPEG,
    "mp4": fuzzMP4,
    "rtp-reorder": fuzzRTPReorder,
    "rtp-reception": fuzzRTPReception,
    "rtcp": fuzzRTCP,
    "annexb": fuzzAnnexB,
    "sps": fuzzSPS,
    "sei": fuzzSEI,
    "asc": fuzzASC,
    "configuration": fuzzConfiguration,
    "control": fuzzControl,
    "settings": fuzzSettings,
    "block-code": fuzzBlockCode,
]

/// SwiftPM renames a program's entry point to this.
@_cdecl("fuzz_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    fuzz(targets, count, arguments)
}
