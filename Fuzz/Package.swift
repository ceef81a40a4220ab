// swift-tools-version: 6.2
import PackageDescription

// Fuzzing with libFuzzer, apart from the main package: here every room is built with coverage and address checks.
// `Rooms` is a link to ../Sources. script/fuzz builds and runs it.

let fuzzing: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

let package = Package(
    name: "fuzz",
    targets: [
        .target(name: "Wire", path: "Rooms/Wire", swiftSettings: fuzzing),
        .target(name: "Media", dependencies: ["Wire"], path: "Rooms/Media", swiftSettings: fuzzing),
        .target(name: "RTP", dependencies: ["Media", "Wire"], path: "Rooms/RTP", swiftSettings: fuzzing),
        .target(name: "SDP", dependencies: ["Media", "Wire"], path: "Rooms/SDP", swiftSettings: fuzzing),
        .target(
            name: "RTSP", dependencies: ["SDP", "RTP", "Media", "Wire"], path: "Rooms/RTSP", swiftSettings: fuzzing),
        .executableTarget(
            name: "fuzz", dependencies: ["RTSP", "SDP", "RTP", "Media", "Wire"], path: "Targets",
            swiftSettings: fuzzing, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
    ],
    swiftLanguageModes: [.v6]
)
