import Foundation
import Testing

@testable import Server

/// `docs/apus.reference.yml` is what `apus reference` prints; to renew it: `apus reference > docs/apus.reference.yml`.
struct ReferenceTests {
    private static let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "docs/apus.reference.yml")

    @Test func theReferenceFileMatchesTheCode() throws {
        if ProcessInfo.processInfo.environment["APUS_RENEW_REFERENCE"] != nil {
            try Data(Configuration.reference.utf8).write(to: Self.file)
        }
        let written = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(written == Configuration.reference, "renew it: apus reference > docs/apus.reference.yml")
    }

    @Test func theReferenceSetsEveryOptionToItsDefault() throws {
        var expected = Configuration()
        expected.paths = ["cam": Configuration.Path()]
        #expect(try Configuration(yaml: Configuration.reference, file: "apus.reference.yml") == expected)
    }

    @Test func everyOptionHasAReasonAndNoLineIsTooLong() {
        let lines = Configuration.reference.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        let options = lines.indices.filter { !lines[$0].hasPrefix("#") && lines[$0] != "cam:" }
        #expect(options.count > 50)
        for index in options {
            #expect(lines[index - 1].hasPrefix("# "), "\(lines[index]) has no comment")
        }
        #expect(Configuration.reference.split(separator: "\n").allSatisfy { $0.count <= 125 })
    }
}
