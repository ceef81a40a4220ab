// swift-tools-version: 6.2
import PackageDescription

// Fuzzing with libFuzzer, separate from the main package because these modules are built with coverage and AddressSanitizer.
// `Modules` is a link to ../Sources. script/fuzz builds and runs the fuzzer.

/// Whether parsers have neither counters nor AddressSanitizer (script/fuzz volume). The targets keep counters, because libFuzzer needs
/// some.
let isPlain = Context.environment["FUZZ_PLAIN"] != nil

func settings(_ sanitizers: String?) -> [SwiftSetting] {
    // Without sanitizers, generic types of a parser are compiled for the types of its target, too.
    let sanitizing = sanitizers.map { ["-sanitize=\($0)"] } ?? ["-cross-module-optimization"]
    return [
        .enableExperimentalFeature("Lifetimes"),
        // Some parsers are internal; like tests, their targets use @testable imports.
        .unsafeFlags(sanitizing + ["-parse-as-library", "-enable-testing"]),
    ]
}

let fuzzing = settings(isPlain ? nil : "fuzzer,address")
let targetSanitizers = isPlain ? "fuzzer" : "fuzzer,address"
let targets = settings(targetSanitizers)
let linking: [LinkerSetting] = [.unsafeFlags(["-sanitize=\(targetSanitizers)"])]

/// Modules that are not fuzzed.
let uninstrumented: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .target(name: "Wire", path: "Modules/Wire", swiftSettings: fuzzing),
        .target(name: "Media", dependencies: ["Wire"], path: "Modules/Media", swiftSettings: fuzzing),
        .target(name: "MPEGTS", dependencies: ["Media", "Wire"], path: "Modules/MPEGTS", swiftSettings: fuzzing),
        .target(name: "MP4", dependencies: ["Media", "Wire"], path: "Modules/MP4", swiftSettings: fuzzing),
        .target(name: "HLS", dependencies: ["MP4", "Media", "Wire"], path: "Modules/HLS", swiftSettings: fuzzing),
        .target(name: "CZlib", path: "Modules/CZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "RTP", dependencies: ["MPEGTS", "Media", "Wire"], path: "Modules/RTP", swiftSettings: fuzzing),
        .target(name: "SDP", dependencies: ["Media", "Wire"], path: "Modules/SDP", swiftSettings: fuzzing),
        .target(
            name: "RTSP", dependencies: ["SDP", "RTP", "Media", "Wire"], path: "Modules/RTSP", swiftSettings: fuzzing),
        .target(
            name: "RTMP", dependencies: ["MP4", "Media", "Wire"], path: "Modules/RTMP", swiftSettings: fuzzing),
        .target(name: "SRT", path: "Modules/SRT", swiftSettings: fuzzing),
        .target(
            name: "WebRTC", dependencies: ["SDP", "RTP", "Media", "Wire"], path: "Modules/WebRTC",
            swiftSettings: fuzzing),
        .target(name: "HTTP", path: "Modules/HTTP", swiftSettings: fuzzing),
        .target(
            name: "RateControl", dependencies: ["Media"], path: "Modules/RateControl", swiftSettings: uninstrumented),
        // The dependencies of the configuration reader (effects and server options), without coverage.
        .target(name: "CLinux", path: "Modules/CLinux"),
        .target(name: "CALSA", path: "Modules/CALSA", linkerSettings: [.linkedLibrary("asound")]),
        .target(name: "CLazyLibrary", path: "Modules/CLazyLibrary"),
        .target(
            name: "CFFmpeg", dependencies: ["CLazyLibrary"], path: "Modules/CFFmpeg",
            linkerSettings: ["avcodec", "avutil", "swscale", "swresample"].map { .linkedLibrary($0) }),
        .target(name: "CPage", path: "Modules/CPage", exclude: ["Files"]),
        .target(name: "Page", dependencies: ["CPage"], path: "Modules/Page", swiftSettings: uninstrumented),
        .target(name: "CCurl", dependencies: ["CLazyLibrary"], path: "Modules/CCurl"),
        .target(name: "COpenSSL", dependencies: ["CLazyLibrary"], path: "Modules/COpenSSL"),
        .target(name: "CSRTPCiphers", dependencies: ["CLazyLibrary"], path: "Modules/CSRTPCiphers"),
        .target(name: "CV4L2", path: "Modules/CV4L2", linkerSettings: [.linkedLibrary("v4l2")]),
        .target(
            name: "Codecs", dependencies: ["CFFmpeg", "Media"], path: "Modules/Codecs", swiftSettings: uninstrumented),
        .target(
            name: "Muxing", dependencies: ["CFFmpeg", "Media"], path: "Modules/Muxing", swiftSettings: uninstrumented),
        .target(
            name: "TLS", dependencies: ["COpenSSL", "Media"], path: "Modules/TLS", swiftSettings: uninstrumented),
        .target(
            name: "SRTP", dependencies: ["CSRTPCiphers", "RTP", "TLS"], path: "Modules/SRTP", swiftSettings: fuzzing),
        .target(
            name: "Delivery",
            dependencies: [
                "RTP", "RateControl", "Media", "Streams", "Reactor", "SRTP", "TLS", "CLinux",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Modules/Delivery", swiftSettings: uninstrumented),
        .target(
            name: "Connecting", dependencies: ["Delivery", "Media", "Reactor", "RTSP", "Streams", "TLS"],
            path: "Modules/Connecting", swiftSettings: uninstrumented),
        .target(
            name: "Serving", dependencies: ["Media", "RTSP", "Reactor", "Streams", logging], path: "Modules/Serving",
            swiftSettings: uninstrumented),
        .target(
            name: "RTMPDelivery", dependencies: ["Delivery", "Media", "RTMP", "RateControl", "Streams"],
            path: "Modules/RTMPDelivery", swiftSettings: uninstrumented),
        .target(
            name: "Capture",
            dependencies: [
                "CALSA", "CV4L2", "Codecs", "Muxing", "RTP", "RateControl", "Streams", "Media", "Reactor", logging,
            ],
            path: "Modules/Capture", swiftSettings: uninstrumented),
        .target(
            name: "RTSPServer",
            dependencies: [
                "RTSP", "SDP", "RTP", "Media", "Delivery", "Serving", "Streams", "Reactor", "SRTP", "TLS", logging,
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Modules/RTSPServer", swiftSettings: uninstrumented),
        .target(
            name: "HTTPServer",
            dependencies: [
                "CZlib", "HLS", "HTTP", "MP4", "Page", "RTSP", "Serving", "Streams", "Media", "Wire", "Reactor", "TLS",
                logging,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Modules/HTTPServer", swiftSettings: fuzzing),
        .target(
            name: "RTSPClient",
            dependencies: [
                "Connecting", "RTSP", "SDP", "RTP", "Media", "Wire", "Delivery", "Streams", "Reactor", "TLS",
            ],
            path: "Modules/RTSPClient", swiftSettings: uninstrumented),
        .target(
            name: "RTMPClient",
            dependencies: ["Connecting", "RTMP", "RTMPDelivery", "RTSP", "Media", "Delivery", "Streams", "Reactor"],
            path: "Modules/RTMPClient", swiftSettings: uninstrumented),
        .target(
            name: "RTMPServer",
            dependencies: [
                "RTMP", "RTMPDelivery", "RTSP", "SDP", "Media", "Delivery", "Serving", "Streams", "Reactor", "TLS",
                logging,
            ],
            path: "Modules/RTMPServer", swiftSettings: uninstrumented),
        .target(name: "CSRT", dependencies: ["CLazyLibrary"], path: "Modules/CSRT"),
        .target(
            name: "SRTServer",
            dependencies: [
                "CSRT", "SRT", "RTSP", "RTP", "RateControl", "Media", "Delivery", "Serving", "Streams", "Reactor",
                logging,
            ],
            path: "Modules/SRTServer", swiftSettings: uninstrumented),
        .target(
            name: "SRTClient",
            dependencies: ["SRT", "SRTServer", "Connecting", "Delivery", "Media", "Streams", "Reactor", logging],
            path: "Modules/SRTClient", swiftSettings: uninstrumented),
        .target(
            name: "WebRTCServer",
            dependencies: [
                "WebRTC", "RTSP", "RTP", "SRTP", "TLS", "Media", "Delivery", "Serving", "Streams", "Reactor", logging,
            ],
            path: "Modules/WebRTCServer", swiftSettings: uninstrumented),
        .target(
            name: "Streams",
            dependencies: [
                "Media", "RateControl", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Modules/Streams", swiftSettings: fuzzing),
        .target(name: "Reactor", dependencies: ["CLinux", "Media"], path: "Modules/Reactor", swiftSettings: fuzzing),
        .target(
            name: "Server",
            dependencies: [
                "CCurl", "COpenSSL", "Capture", "Codecs", "Connecting", "Delivery", "HTTP", "HTTPServer", "Muxing",
                "RTMP", "RTMPClient", "RTMPServer", "RTSPClient", "RTSPServer", "SRT", "SRTClient", "SRTServer",
                "Serving", "WebRTC", "WebRTCServer", "RTSP", "RTP", "RateControl", "HLS", "MP4", "MPEGTS", "Streams",
                "Media", "SDP", "Reactor", "TLS", logging, "Yams",
            ],
            path: "Modules/Server", swiftSettings: fuzzing),
        .target(name: "Fuzzing", path: "Driver", swiftSettings: fuzzing),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Fuzzing", "Server", "HLS", "HTTP", "HTTPServer", "MP4", "RTSP", "SDP", "SRTP", "RTP", "Media", "Wire",
                "Reactor", "Streams", logging,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Targets", swiftSettings: targets, linkerSettings: linking),
        // libFuzzer looks at all counters of a program after each input, so a small program tries more inputs.
        .executableTarget(
            name: "fuzz-http", dependencies: ["Fuzzing", "HTTP"],
            path: "HTTPTargets", swiftSettings: targets, linkerSettings: linking),
        .executableTarget(
            name: "fuzz-ingest", dependencies: ["Fuzzing", "MPEGTS", "RTMP", "SRT", "Media", "Wire"],
            path: "IngestTargets", swiftSettings: targets, linkerSettings: linking),
        .executableTarget(
            name: "fuzz-webrtc", dependencies: ["Fuzzing", "WebRTC", "SDP", "RTP", "Media", "Wire"],
            path: "WebRTCTargets", swiftSettings: targets, linkerSettings: linking),
    ],
    swiftLanguageModes: [.v6]
)
