// swift-tools-version: 6.2
import PackageDescription

// Fuzzing with libFuzzer, apart from the main package: here rooms are built with coverage and address checks.
// `Rooms` is a link to ../Sources. script/fuzz builds and runs it.

let fuzzing: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
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
        // Only what reads the configuration, and what that needs.
        .target(name: "CLinux", path: "Rooms/CLinux"),
        .target(
            name: "Streams",
            dependencies: [
                "Media", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Rooms/Streams", swiftSettings: fuzzing),
        .target(name: "Reactor", dependencies: ["CLinux", "Media"], path: "Rooms/Reactor", swiftSettings: fuzzing),
        .target(
            name: "Server", dependencies: ["Streams", "Reactor", "Yams"], path: "Rooms/Server",
            sources: ["Configuration", "PrintableText.swift"], swiftSettings: fuzzing),
        .executableTarget(
            name: "fuzz", dependencies: ["Server", "RTSP", "SDP", "RTP", "Media", "Wire"], path: "Targets",
            swiftSettings: fuzzing, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
    ],
    swiftLanguageModes: [.v6]
)
