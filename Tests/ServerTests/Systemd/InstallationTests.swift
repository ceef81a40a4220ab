import Foundation
import TestSupport
import Testing

@testable import Server

/// The systemd unit and its installation.
struct InstallationTests {
    private static let analyser = "/usr/bin/systemd-analyze"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) -> String { String(decoding: folder.bytes(name), as: UTF8.self) }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: analyser), "there is no systemd-analyze"),
        arguments: [
            "", "[Service]\nAmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\n",
        ])
    func theSandboxIsTightEvenForAPortBelow1024(extra: String) async throws {
        let unit = try String(contentsOfFile: Checkout.path("packaging/apus.service"), encoding: .utf8)
        try folder.write("\(unit)\n\(extra)", to: "apus.service")
        // 100 means no restrictions.
        let outcome = try await Command.run(
            [Self.analyser, "security", "--offline=true", "--threshold=29", folder.file("apus.service")])
        #expect(outcome.status == 0, "\(outcome.text.suffix(80)) \(outcome.diagnostics)")
    }

    @Test func theInstalledConfigurationIsValid() throws {
        let (configuration, _) = try Configuration.load(Checkout.path("packaging/apus.yml"))
        #expect(configuration == Configuration())
    }

    private func install(_ arguments: String...) async throws {
        try folder.write("the program", to: "built")
        let outcome = try await Command.run(
            [
                "env", "APUS_BINARY=\(folder.file("built"))", "DESTDIR=\(folder.file("host"))",
                Checkout.path("script/install"), "--prefix", "/opt/apus",
            ] + arguments)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
    }

    @Test func installedFilesAreConsistentAndTheAdministratorsFileIsKept() async throws {
        try await install()
        #expect(text("host/opt/apus/bin/apus") == "the program")
        #expect(try mode("host/opt/apus/bin/apus") == 0o755)
        let unit = "host/opt/apus/lib/systemd/system/apus.service"
        #expect(text(unit).contains("\nExecStart=/opt/apus/bin/apus serve --config /etc/apus/apus.yml\n"))
        #expect(!text(unit).contains("/usr/"))
        #expect(text("host/opt/apus/lib/sysusers.d/apus.conf").contains("\ng apus-config -\n"))
        let configuration = "host/etc/apus/apus.yml"
        #expect(try mode(configuration) == 0o640, "it may hold passwords")
        try folder.write("server: { port: 8000 }\n", to: configuration)
        try await install()
        #expect(text(configuration) == "server: { port: 8000 }\n")
        try await install("--remove")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.file("host"))
        #expect(files.filter { $0.contains("apus.") || $0.hasSuffix("bin/apus") } == ["etc/apus/apus.yml"])
    }
}
