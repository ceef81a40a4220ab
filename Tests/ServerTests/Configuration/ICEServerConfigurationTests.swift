import TestSupport
import Testing

@testable import Server

/// The option `webrtc.iceServers`, whose URLs contain passwords.
struct ICEServerConfigurationTests {
    private static let yaml = """
        webrtc: { iceServers: ['stun:stun.example', 'turn:ann:sesame@turn.example:3478'] }
        paths: { cam: { source: testcard } }
        """

    private func values(_ configuration: Configuration) -> [String] {
        Schema.configuration.values(in: configuration, at: .root).filter { $0.option.text == "webrtc.iceServers" }
            .map(\.text)
    }

    @Test func clientsAreToldTheUserAndThePassword() throws {
        let servers = try Configuration(yaml: Self.yaml, file: "apus.yml").webrtc.iceServers
        #expect(servers.map(\.url) == ["stun:stun.example", "turn:turn.example:3478"])
        #expect(servers.map(\.username) == [nil, "ann"] && servers.map(\.credential) == [nil, "sesame"])
    }

    @Test func theCheckDoesNotShowThem() throws {
        #expect(values(try Configuration(yaml: Self.yaml, file: "apus.yml")) == ["…"])
        #expect(values(Configuration()) == ["[]"])
        let folder = try TemporaryFolder()
        try folder.write(Self.yaml, to: "apus.yml")
        let review = try ConfigurationReview(of: folder.file("apus.yml"), opensSources: false)
        #expect(review.errors.isEmpty)
        #expect(!review.valuesText.contains("sesame") && !review.text.contains("sesame"))
        #expect(review.valuesText.contains("webrtc.iceServers: …"))
    }

    @Test(arguments: [
        "turn:ann:sesame@", "turn:sesame@turn.example:3478", "turns:ann:sesame@turn.example \"", "ann:sesame",
    ])
    func mistakesAreNamedWithoutPasswords(_ url: String) throws {
        let text = try #require(problems("webrtc: { iceServers: ['\(url)'] }"))
        #expect(text.contains("webrtc.iceServers: expects a list") && text.contains("not this text"), "\(text)")
        #expect(!text.contains("sesame"))
    }

    /// A password that has changed is a change of the option.
    @Test func anotherPasswordIsAChange() throws {
        let (old, new) = try (
            Configuration(yaml: Self.yaml, file: "apus.yml"),
            Configuration(yaml: Self.yaml.replacing("sesame", with: "other"), file: "apus.yml")
        )
        let changes = Schema.configuration.changes(from: old, to: new, at: .root)
        #expect(changes.map(\.option.text) == ["webrtc.iceServers"])
    }
}
