import Fuzzing

private let targets: [String: Target] = [
    "mpegts": fuzzTransportStream,
    "rtmp": fuzzRTMPChunks,
    "flv": fuzzFLVTags,
    "srt": fuzzSRTStreamIDs,
]

/// SwiftPM renames a program's entry point to this.
@_cdecl("fuzz_ingest_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    fuzz(targets, count, arguments)
}
