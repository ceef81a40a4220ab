import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests a machine without the libraries that are loaded when they are first needed.
    @Suite(.serialized, .sharesMachine)
    struct Libraries {
        private let folder: TemporaryFolder

        /// Files without content that the dynamic linker finds first, for all versions of the libraries.
        init() throws {
            folder = try TemporaryFolder()
            try folder.write("", to: "libssl.so.3")
            for version in 7...99 {
                try folder.write("", to: "libavfilter.so.\(version)")
                try folder.write("", to: "libavformat.so.\(version)")
            }
        }

        private var environment: [String] { ["env", "LD_LIBRARY_PATH=\(folder.path)"] }

        @Test func theTestCardNeedsNoOptionalLibrary() async throws {
            let server = try await ServerProcess.start(["testcard"], prefix: environment)
            #expect(try await server.isServing())
            await server.stop()
        }

        @Test func effectsWithoutLibavfilterFailWithTheNameOfThePackage() async throws {
            try folder.write("paths: { cam: { source: testcard, effects: { rotate: 180 } } }\n", to: "apus.yml")
            let outcome = try await Command.run(
                environment + [ServerProcess.binary(), "check", folder.file("apus.yml")])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("package libavfilter"), "\(outcome.diagnostics)")
        }

        @Test func aFileWithoutLibavformatFailsWithTheNameOfThePackage() async throws {
            let clip = try await Clip.plain.path()
            let server = try await ServerProcess.start([clip], prefix: environment)
            #expect(await eventually(within: 5) { server.log.contains("package libavformat") }, "\(server.log)")
            await server.stop()
        }
    }
}
