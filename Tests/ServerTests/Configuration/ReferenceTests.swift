import Foundation
import TestSupport
import Testing

@testable import Server

/// `docs/apus.reference.yml` is what `apus reference` prints; to renew it: `apus reference > docs/apus.reference.yml`.
struct ReferenceTests {
    private static let file = Checkout.root.appending(path: "docs/apus.reference.yml")

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

    @Test func everyPropertyOfASectionHasItsEntryInTheSchema() {
        expectEntries(of: Schema.configuration, for: Configuration())
        let server = Configuration()
        expectEntries(of: .server, for: server.server)
        expectEntries(of: .tls, for: server.tls)
        expectEntries(of: .log, for: server.log)
        expectEntries(of: .control, for: server.control)
        expectEntries(of: .loops, for: server.loops)
        expectEntries(of: .limits, for: server.limits)
        expectEntries(of: .access, for: server.access)
        expectEntries(of: .user, for: Configuration.User())
        expectEntries(of: .rtp, for: server.rtp)
        expectEntries(of: .network, for: server.network)
        expectEntries(of: .multicast, for: server.multicast)
        expectEntries(of: .pacing, for: server.pacing)
        expectEntries(of: .join, for: server.join)
        expectEntries(of: .ring, for: server.ring)
        expectEntries(of: .keyframeRequests, for: server.keyframeRequests)
        let path = Configuration.Path()
        expectEntries(of: .path, for: path)
        expectEntries(of: .video, for: path.video)
        expectEntries(of: .audio, for: path.audio)
        expectEntries(of: .camera, for: path.camera)
        expectEntries(of: .effects, for: path.effects)
    }

    private func expectEntries<Section>(of schema: Schema<Section>, for section: Section) {
        let properties = Mirror(reflecting: section).children.compactMap(\.label)
        #expect(properties.sorted() == schema.entries.map(\.key).sorted())
    }

    /// `ConfigurationDifferenceTests` compares the sentence with what the server does with a change.
    @Test func everyOptionSaysWhenAChangeTakesEffect() {
        let lines = Configuration.reference.split(separator: "\n", omittingEmptySubsequences: false)
        let paragraphs = lines.map { $0.drop { $0 == " " || $0 == "#" } }.split(separator: "")
        let options = paragraphs.filter { lines in lines.contains { $0.hasPrefix("Expects ") } }
        #expect(options.count > 100)
        for option in options {
            let line = option.dropLast().last.map(String.init) ?? ""
            #expect(OptionEffect.allCases.map(\.sentence).contains(line), "\(option)")
        }
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
