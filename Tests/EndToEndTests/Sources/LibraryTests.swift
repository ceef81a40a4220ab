import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Libraries that are loaded when they are first needed, on a machine where they cannot be.
    @Suite(.serialized, .besideOthers)
    struct Libraries {
        private let folder: TemporaryFolder

        /// Files that the dynamic linker finds first, and that hold no library, of whatever version.
        init() throws {
            folder = try TemporaryFolder()
            try folder.write("", to: "libssl.so.3")
            for version in 7...99 {
                try folder.write("", to: "libavfilter.so.\(version)")
                try folder.write("", to: "libavformat.so.\(version)")
            }
        }

        private var environment: [String] { ["env", "LD_LIBRARY_PATH=\(folder.path)"] }

        @Test func theTestCardNeedsNoFiltersNoContainersAndNoTLS() async throws {
            let server = try await ServerProcess.start(["testcard"], prefix: environment)
            #expect(try await server.isServing())
            await server.stop()
        }

        @Test func effectsWithoutLibavfilterAreRefusedWithThePackageThatIsMissing() async throws {
            try folder.write("paths: { cam: { source: testcard, effects: { rotate: 180 } } }\n", to: "apus.yml")
            let outcome = try await Command.run(
                environment + [ServerProcess.binary(), "check", folder.file("apus.yml")])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("package libavfilter"), "\(outcome.diagnostics)")
        }

        @Test func aFileWithoutLibavformatIsRefusedWithThePackageThatIsMissing() async throws {
            let clip = try await Clip.plain.path()
            let server = try await ServerProcess.start([clip], prefix: environment)
            #expect(await eventually(within: 5) { server.log.contains("package libavformat") }, "\(server.log)")
            await server.stop()
        }
    }
}
