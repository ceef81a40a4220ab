// swift-tools-version: 6.2
import PackageDescription

// One target per module. docs/modules.md lists what each is for and what it may import; script/purity checks it.

/// Settings of all targets: warnings are errors, and our own types may store borrowed spans.
let everywhere: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableExperimentalFeature("Lifetimes"),
]

/// Settings of pure targets without unsafe memory: the compiler checks memory safety strictly.
let pure: [SwiftSetting] = everywhere + [.strictMemorySafety()]

/// In a release, the modules on the path of a packet are compiled so that other modules can inline and specialise their code. The code
/// that a frame runs through is then shorter, which matters most with few streams: it has left the processor's caches when the next
/// frame comes.
let inlined: [SwiftSetting] = [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))]

/// Settings of most tests: also in a release, their own code is compiled without optimisation, because optimising it takes six minutes.
let tested: [SwiftSetting] = everywhere + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// Tests that count allocations or simulate thousands of viewers: in a release, their own code is optimised, too.
let optimisedTests: Set = ["Delivery", "MP4", "RateControl"]

/// Settings of the release binary that save 2.5 MB of resident memory: lld packs the relocations (otherwise a list of 2 MB; needs
/// glibc 2.36), and the program's symbols are not exported, because nothing looks them up by name.
let small: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic"],
        .when(configuration: .release))
]

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map {
    .product(name: $0, package: "swift-nio")
}

let http2: [Target.Dependency] = ["NIOHTTP2", "NIOHPACK"].map { .product(name: $0, package: "swift-nio-http2") }

/// The tests of one module, with the other modules and packages that they use.
func tests(_ module: String, _ others: Target.Dependency...) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: [.byName(name: module), "TestSupport"] + others,
        swiftSettings: optimisedTests.contains(module) ? everywhere : tested)
}

let package = Package(
    name: "apus",
    products: [.executable(name: "apus", targets: ["apus"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // C headers, macros and variadic functions that Swift cannot import.
        .target(name: "CLinux"),
        .target(name: "CALSA", linkerSettings: [.linkedLibrary("asound")]),
        // Libraries that are loaded when they are first needed, and therefore not linked.
        .target(name: "CLazyLibrary"),
        // libavfilter and libavformat are loaded when needed.
        .target(
            name: "CFFmpeg", dependencies: ["CLazyLibrary"],
            linkerSettings: ["avcodec", "avutil", "swscale", "swresample"].map { .linkedLibrary($0) }),
        // libcurl is loaded when needed.
        .target(name: "CCurl", dependencies: ["CLazyLibrary"]),
        // libsrt is loaded when needed.
        .target(name: "CSRT", dependencies: ["CLazyLibrary"]),
        // libcrypto and libssl are loaded when needed.
        .target(name: "COpenSSL", dependencies: ["CLazyLibrary"]),
        // libcrypto and libgnutls are loaded when needed.
        .target(name: "CSRTPCiphers", dependencies: ["CLazyLibrary"]),
        .target(name: "CV4L2", linkerSettings: [.linkedLibrary("v4l2")]),
        .target(name: "CTun"),
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
        // The files of the web page.
        .target(name: "CPage", exclude: ["Files"]),

        // Pure: no socket, clock, thread, random numbers or Foundation.
        .target(name: "Wire", swiftSettings: everywhere + inlined),
        .target(name: "Media", dependencies: ["Wire"], swiftSettings: pure + inlined),
        .target(name: "MPEGTS", dependencies: ["Media", "Wire"], swiftSettings: pure),
        .target(name: "MP4", dependencies: ["Media", "Wire"], swiftSettings: pure),
        .target(name: "RTP", dependencies: ["MPEGTS", "Media", "Wire"], swiftSettings: everywhere + inlined),
        .target(name: "SDP", dependencies: ["Media", "Wire"], swiftSettings: pure),
        .target(name: "RTSP", dependencies: ["SDP", "RTP", "Media", "Wire"], swiftSettings: pure + inlined),
        .target(name: "HTTP", swiftSettings: pure),
        .target(name: "HLS", dependencies: ["MP4", "Media", "Wire"], swiftSettings: pure),
        .target(name: "RTMP", dependencies: ["MP4", "Media", "Wire"], swiftSettings: pure),
        .target(name: "SRT", swiftSettings: pure),
        .target(name: "WebRTC", dependencies: ["SDP", "RTP", "Media", "Wire"], swiftSettings: pure),
        .target(name: "RateControl", dependencies: ["Media"], swiftSettings: pure + inlined),

        // Machinery.
        .target(
            name: "Streams", dependencies: ["Media", "RateControl", collections, histogram],
            swiftSettings: everywhere + inlined),
        .target(name: "Reactor", dependencies: ["CLinux", "Media"], swiftSettings: everywhere + inlined),
        .target(name: "Codecs", dependencies: ["CFFmpeg", "Media"], swiftSettings: everywhere),
        .target(name: "Muxing", dependencies: ["CFFmpeg", "Media"], swiftSettings: everywhere),
        .target(name: "TLS", dependencies: ["COpenSSL", "Media"], swiftSettings: everywhere),
        .target(name: "SRTP", dependencies: ["CSRTPCiphers", "RTP", "TLS"], swiftSettings: everywhere),
        .target(
            name: "Delivery",
            dependencies: ["RTP", "RateControl", "Media", "Streams", "Reactor", "SRTP", "TLS", "CLinux", collections],
            swiftSettings: everywhere + inlined),

        .target(
            name: "Connecting", dependencies: ["Delivery", "Media", "Reactor", "RTSP", "Streams", "TLS"],
            swiftSettings: everywhere),
        .target(
            name: "Serving", dependencies: ["Media", "RTSP", "Reactor", "Streams", logging], swiftSettings: everywhere),
        .target(
            name: "RTMPDelivery", dependencies: ["Delivery", "Media", "RTMP", "RateControl", "Streams"],
            swiftSettings: everywhere),
        .target(name: "Page", dependencies: ["CPage"], swiftSettings: everywhere),

        // Edges.
        .target(
            name: "Capture",
            dependencies: [
                "CALSA", "CV4L2", "Codecs", "Muxing", "Streams", "RateControl", "RTP", "Media", "Reactor", logging,
            ],
            swiftSettings: everywhere),
        .target(
            name: "RTSPServer",
            dependencies: [
                "RTSP", "SDP", "RTP", "Media", "Delivery", "Serving", "Streams", "Reactor", "SRTP", "TLS", logging,
                collections,
            ],
            swiftSettings: everywhere),
        .target(
            name: "RTMPServer",
            dependencies: [
                "RTMP", "RTMPDelivery", "RTSP", "SDP", "Media", "Delivery", "Serving", "Streams", "Reactor", "TLS",
                logging,
            ],
            swiftSettings: everywhere),
        .target(
            name: "SRTClient",
            dependencies: ["SRT", "SRTServer", "Connecting", "Delivery", "Media", "Streams", "Reactor", logging],
            swiftSettings: everywhere),
        .target(
            name: "SRTServer",
            dependencies: [
                "CSRT", "SRT", "RTSP", "RTP", "RateControl", "Media", "Delivery", "Serving", "Streams", "Reactor",
                logging,
            ],
            swiftSettings: everywhere),
        .target(
            name: "WebRTCServer",
            dependencies: [
                "WebRTC", "RTSP", "RTP", "SRTP", "TLS", "Media", "Delivery", "Serving", "Streams", "Reactor", logging,
            ],
            swiftSettings: everywhere),
        .target(
            name: "RTSPClient",
            dependencies: [
                "Connecting", "RTSP", "SDP", "RTP", "Media", "Wire", "Delivery", "Streams", "Reactor", "TLS",
            ],
            swiftSettings: everywhere),
        .target(
            name: "WebRTCClient",
            dependencies: [
                "WebRTC", "Connecting", "RTSPClient", "HTTP", "RTSP", "SDP", "RTP", "SRTP", "TLS", "Media", "Wire",
                "Reactor",
            ],
            swiftSettings: everywhere),
        .target(
            name: "RTMPClient",
            dependencies: ["Connecting", "RTMP", "RTMPDelivery", "RTSP", "Media", "Delivery", "Streams", "Reactor"],
            swiftSettings: everywhere),
        .target(
            name: "HTTPServer",
            dependencies: [
                "CZlib", "HLS", "HTTP", "MP4", "Page", "RTSP", "Serving", "Streams", "Media", "Wire", "Reactor", "TLS",
                logging, collections,
            ] + nio + http2,
            swiftSettings: everywhere),
        .target(
            name: "Measuring",
            dependencies: [
                "Capture", "Codecs", "HLS", "Streams", "Media", "RTP", "RTSP", "Reactor", "RTSPClient", "WebRTCClient",
                "CLinux", logging,
            ] + nio,
            swiftSettings: everywhere),
        .target(
            name: "Server",
            dependencies: [
                "CCurl", "COpenSSL", "Capture", "Codecs", "Connecting", "Delivery", "HTTP", "HTTPServer", "Muxing",
                "RTSPClient", "RTMP", "RTMPClient", "RTMPServer", "RTSPServer", "SRT", "SRTClient", "SRTServer",
                "Serving", "WebRTC", "WebRTCServer", "RTSP", "RTP", "RateControl", "HLS", "MP4", "Streams", "Media",
                "MPEGTS", "SDP", "Reactor", "TLS", logging,
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: everywhere),
        .executableTarget(
            name: "apus",
            dependencies: [
                "Server", "Measuring", "Codecs", "RTSPClient", "WebRTCClient", "RTSP", "Reactor", "SDP", "Streams",
                "TLS",
                logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: everywhere, linkerSettings: small),

        // Tools for tests, not part of a release: the relay of script/impair.
        .target(name: "Impairment", dependencies: [collections, heap], swiftSettings: pure),
        .executableTarget(
            name: "impair",
            dependencies: [
                "Impairment", "Reactor", "Media", "CTun",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: everywhere),

        // Tests: one target per module, and end-to-end tests with real clients and the real binary.
        .target(
            name: "TestSupport",
            dependencies: [
                "CSpawn", "Media", "RTP", "RTSPClient", "RateControl", "Reactor", "SRTP", "Streams", "TLS", "WebRTC",
                "WebRTCClient", logging, nioCore,
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ],
            path: "Tests/TestSupport", swiftSettings: everywhere),
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        tests("Media"),
        tests("MPEGTS", "Media", "Muxing", "Wire"),
        tests("MP4", "CAllocations", "Media", "Muxing", "Wire"),
        tests("HLS", "MP4", "Media"),
        tests("RTMP", "MP4", "Media"),
        tests("SRT"),
        tests("WebRTC", "RTP", "SDP", "Media", "Wire"),
        tests("RateControl", "CAllocations", "Impairment", "Media"),
        tests("RTP", "Media", "Wire"),
        tests("SDP", "Media"),
        tests("RTSP", "COpenSSL", "Media", "Wire"),
        tests("HTTP"),
        tests(
            "RTSPServer", "Connecting", "Delivery", "Media", "RTP", "RTSP", "RTSPClient", "Reactor", "SDP", "SRTP",
            "Streams", "TLS", "Wire", logging),
        tests(
            "HTTPServer", "COpenSSL", "HTTP", "Media", "RTSP", "Reactor", "SDP", "Server", "TLS", logging,
            .product(name: "NIOEmbedded", package: "swift-nio"),
            .product(name: "NIOHPACK", package: "swift-nio-http2")),
        tests(
            "RTMPServer", "Connecting", "Delivery", "Media", "RTMP", "RTMPClient", "RTMPDelivery", "RTSP", "RTSPServer",
            "RateControl", "Reactor", "SDP", "Streams", "TLS", logging),
        tests("Serving", "Media", logging),
        tests(
            "SRTServer", "CSRT", "Connecting", "Delivery", "Media", "RTSP", "RateControl", "Reactor", "SRT",
            "SRTClient", "Streams", logging),
        tests(
            "WebRTCServer", "Delivery", "Media", "RTP", "RTSP", "RTSPClient", "RTSPServer", "RateControl", "Reactor",
            "SRTP", "Streams", "TLS", "WebRTC", "WebRTCClient", logging),
        tests("WebRTCClient", "Media", "RTP", "RTSP", "RTSPClient", "Reactor", "SDP", "TLS", "WebRTC", "Wire"),
        tests("Streams", "Media", "RateControl"),
        tests("Reactor", "CLinux", "Media"),
        tests("TLS", "Media"),
        tests("SRTP", "CAllocations", "CSRTPCiphers", "RTP", "Wire"),
        tests("Codecs", "Media"),
        tests("Muxing", "Media"),
        tests("Capture", "Codecs", "Media", "Muxing", "RTP", "RateControl", "Reactor", "Streams", logging),
        tests("Impairment"),
        tests("Page"),
        tests(
            "Delivery", "CAllocations", "CLinux", "Media", "RTP", "RateControl", "Reactor", "SRTP", "Streams", "TLS",
            "Wire"),
        tests("RTSPClient", "Media", "RTP", "RTSP", "SDP"),
        tests("Measuring", "Codecs", "HLS", "Media", "RTP", "RTSPClient", "SDP", "Streams", nioCore),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["COpenSSL", "Media", "RTP", "RTSP", "Reactor", "SRTP", "TLS", "WebRTC", "TestSupport"],
            swiftSettings: tested),
        tests(
            "Server", "Capture", "Codecs", "Connecting", "Delivery", "Media", "Muxing", "RTSP", "RTSPClient",
            "RTSPServer", "Reactor", "SDP", "Streams", "TLS", logging),
    ],
    swiftLanguageModes: [.v6]
)
