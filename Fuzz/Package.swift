// swift-tools-version: 6.2
import PackageDescription

// Fuzzing with libFuzzer, apart from the main package: here rooms are built with coverage and address checks.
// `Rooms` is a link to ../Sources. script/fuzz builds and runs it.

let fuzzing: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),
    // Some parsers are not public: their targets see them as tests do.
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library", "-enable-testing"]),
]

/// Of rooms that nothing is tried on.
let uninstrumented: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .target(name: "Wire", path: "Rooms/Wire", swiftSettings: fuzzing),
        .target(name: "Media", dependencies: ["Wire"], path: "Rooms/Media", swiftSettings: fuzzing),
        .target(name: "MPEGTS", dependencies: ["Media", "Wire"], path: "Rooms/MPEGTS", swiftSettings: fuzzing),
        .target(name: "RTP", dependencies: ["MPEGTS", "Media", "Wire"], path: "Rooms/RTP", swiftSettings: fuzzing),
        .target(name: "SDP", dependencies: ["Media", "Wire"], path: "Rooms/SDP", swiftSettings: fuzzing),
        .target(
            name: "RTSP", dependencies: ["SDP", "RTP", "Media", "Wire"], path: "Rooms/RTSP", swiftSettings: fuzzing),
        // What the reader of the configuration needs, which tries effects and knows what a server takes: without coverage.
        .target(name: "CLinux", path: "Rooms/CLinux"),
        .target(name: "CALSA", path: "Rooms/CALSA", linkerSettings: [.linkedLibrary("asound")]),
        .target(name: "CLazyLibrary", path: "Rooms/CLazyLibrary"),
        .target(
            name: "CFFmpeg", dependencies: ["CLazyLibrary"], path: "Rooms/CFFmpeg",
            linkerSettings: ["avcodec", "avutil", "swscale", "swresample"].map { .linkedLibrary($0) }),
        .target(name: "CCurl", dependencies: ["CLazyLibrary"], path: "Rooms/CCurl"),
        .target(name: "COpenSSL", dependencies: ["CLazyLibrary"], path: "Rooms/COpenSSL"),
        .target(name: "CV4L2", path: "Rooms/CV4L2", linkerSettings: [.linkedLibrary("v4l2")]),
        .target(
            name: "Codecs", dependencies: ["CFFmpeg", "Media"], path: "Rooms/Codecs", swiftSettings: uninstrumented),
        .target(
            name: "Muxing", dependencies: ["CFFmpeg", "Media"], path: "Rooms/Muxing", swiftSettings: uninstrumented),
        .target(
            name: "TLS", dependencies: ["COpenSSL", "Media"], path: "Rooms/TLS", swiftSettings: uninstrumented),
        .target(
            name: "SRTP", dependencies: ["COpenSSL", "RTP"], path: "Rooms/SRTP", swiftSettings: uninstrumented),
        .target(
            name: "Delivery",
            dependencies: [
                "RTP", "Media", "Streams", "Reactor", "SRTP", "TLS", "CLinux",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Rooms/Delivery", swiftSettings: uninstrumented),
        .target(
            name: "Capture",
            dependencies: ["CALSA", "CV4L2", "Codecs", "Muxing", "Streams", "Media", "Reactor", logging],
            path: "Rooms/Capture", swiftSettings: uninstrumented),
        .target(
            name: "RTSPServer",
            dependencies: [
                "RTSP", "SDP", "RTP", "Media", "Delivery", "Streams", "Reactor", "SRTP", "TLS", logging,
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Rooms/RTSPServer", swiftSettings: uninstrumented),
        .target(
            name: "Streams",
            dependencies: [
                "Media", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Rooms/Streams", swiftSettings: fuzzing),
        .target(name: "Reactor", dependencies: ["CLinux", "Media"], path: "Rooms/Reactor", swiftSettings: fuzzing),
        .target(
            name: "Server",
            dependencies: [
                "CCurl", "COpenSSL", "Capture", "Codecs", "RTSPServer", "RTSP", "RTP", "Streams", "Media", "SDP",
                "Reactor", "TLS", logging, "Yams",
            ],
            path: "Rooms/Server", swiftSettings: fuzzing),
        .executableTarget(
            name: "fuzz", dependencies: ["Server", "RTSP", "SDP", "RTP", "Media", "Wire"], path: "Targets",
            swiftSettings: fuzzing, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
    ],
    swiftLanguageModes: [.v6]
)
