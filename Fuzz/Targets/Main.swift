import Glibc

/// Takes any bytes and ends the process if a law is broken.
typealias Target = @Sendable ([UInt8]) -> Void

/// What `script/fuzz` names: each in the file of its name, with its laws.
let targets: [String: Target] = [
    "rtsp-parser": fuzzRTSPParser,
    "rtsp-connection": fuzzRTSPConnection,
    "rtsp-client": fuzzRTSPClient,
    "rtsp-access": fuzzRTSPAccess,
    "transport-header": fuzzTransportHeader,
    "range-header": fuzzRangeHeader,
    "mikey": fuzzMIKEY,
    "authorization": fuzzAuthorization,
    "challenge": fuzzChallenge,
    "passwords": fuzzPasswords,
    "sdp": fuzzSDP,
    "rtp-h264": fuzzRTPH264,
    "rtp-aac": fuzzRTPAAC,
    "rtp-reorder": fuzzRTPReorder,
    "rtcp": fuzzRTCP,
    "annexb": fuzzAnnexB,
    "sps": fuzzSPS,
    "sei": fuzzSEI,
    "asc": fuzzASC,
    "configuration": fuzzConfiguration,
    "control": fuzzControl,
    "block-code": fuzzBlockCode,
]

/// The chosen one: libFuzzer has no arguments of ours, so the environment says.
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

/// SwiftPM calls a program's entry so; libFuzzer's own `main` is not linked.
@_cdecl("fuzz_main")
public func start(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments) { testOneInput($0, $1) }
}

/// Ends the process, and tells which law was broken.
func require(_ holds: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String) {
    if !holds() { fatalError("broken law: \(sentence())") }
}
