import Glibc

/// Takes arbitrary bytes and ends the process if a property is violated.
typealias Target = @Sendable ([UInt8]) -> Void

/// The targets by their names in `script/fuzz`; each is in the file of its name.
let targets: [String: Target] = [
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
    "http-framing": fuzzHTTPFraming,
    "http-text": fuzzHTTPText,
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
    "mpegts": fuzzTransportStream,
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

/// The target, chosen by an environment variable because libFuzzer takes the command line.
let chosenTarget: Target = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        print("FUZZ_TARGET is one of: \(targets.keys.sorted().joined(separator: " "))")
        exit(64)
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosenTarget(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM renames a program's entry point to this; libFuzzer's own `main` is not linked.
@_cdecl("fuzz_main")
public func start(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments) { testOneInput($0, $1) }
}

/// Ends the process with the violated property.
func require(_ holds: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String) {
    if !holds() { fatalError("violated property: \(sentence())") }
}
