// swift-tools-version: 6.2
import PackageDescription

// The rooms of the house: docs/architecture.md says what each is for and what it may import;
// script/purity holds every target to its row.

/// Swift settings of every target: warnings are errors, and borrowed spans may live in our own types.
let everywhere: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableExperimentalFeature("Lifetimes"),
]

/// Pure targets also prove that they touch no unsafe memory.
let pure: [SwiftSetting] = everywhere + [.strictMemorySafety()]

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

let package = Package(
    name: "apus",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0")
    ],
    targets: [
        // Pure: no socket, clock, thread, randomness, Foundation.
        .target(name: "Wire", swiftSettings: everywhere),
        .target(name: "Media", dependencies: ["Wire"], swiftSettings: pure),

        // Machinery.
        .target(name: "Streams", dependencies: ["Media", collections], swiftSettings: everywhere),

        // Tests: one target per room, and real clients against the real binary.
        .target(name: "TestSupport", dependencies: ["Media"], path: "Tests/TestSupport", swiftSettings: everywhere),
    ],
    swiftLanguageModes: [.v6]
)
