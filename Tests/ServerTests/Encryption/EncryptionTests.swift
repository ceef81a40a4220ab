import Foundation
import Logging
import RTSPServer
import Synchronization
import TLS
import TestSupport
import Testing

@testable import Server

/// TLS in the configuration: certificate files, their mistakes, and their changes.
struct EncryptionTests {
    private let folder: TemporaryFolder
    private let state: StateFolder
    private let files: CertificateFiles

    init() throws {
        folder = try TemporaryFolder()
        state = StateFolder(at: folder.path)
        files = CertificateFiles(in: folder.path)
    }

    private func makeCertificate() throws {
        _ = try OwnCertificate(for: [.local], in: state)
    }

    private func yaml(_ encryption: String, _ rest: String = "") -> String {
        "tls: { encryption: \(encryption), certificate: \(files.certificate), key: \(files.key) }\n\(rest)"
    }

    @Test func aCertificateOfApusCertificateCanBeServed() throws {
        try makeCertificate()
        let configuration = try Configuration(
            yaml: yaml("optional", "limits: { handshakeSeconds: 3 }"), file: "apus.yml")
        let identity = try files.identity()
        let options = ServerOptions(configuration, access: nil, identity: identity)
        #expect(options.encryption.tls?.port == 8322 && options.encryption.tls?.handshake.seconds == 3)
        guard case .optional = options.encryption else { throw Unexpected() }
        guard case .no = ServerOptions(configuration, access: nil).encryption else { throw Unexpected() }
        #expect(
            configuration.summary.hasPrefix("port 8554 on all addresses\nport 8322 on all addresses, with TLS\n"))
        let mode = try FileManager.default.attributesOfItem(atPath: files.key)[.posixPermissions] as? Int
        #expect(mode == 0o600 && !files.isKeyReadableByOthers)
    }

    private struct Unexpected: Error {}

    @Test func srtpIsOnByDefault() throws {
        try makeCertificate()
        let identity = try files.identity()
        for (word, isOn) in [("aes-cm", true), ("aes-gcm", true), ("no", false)] {
            let configuration = try Configuration(
                yaml: yaml("optional").replacing("{ ", with: "{ srtp: \(word), "), file: "apus.yml")
            let options = ServerOptions(configuration, access: nil, identity: identity)
            #expect((options.encryption.tls?.srtp != nil) == isOn, "\(word)")
        }
        let long = problems(yaml("optional", "rtp: { maximumPacketBytes: 1440 }"))
        #expect(long?.contains("rtp.maximumPacketBytes: must be at most 1432, because tls.srtp makes") == true)
    }

    @Test func withoutTLSNoCertificateIsRead() throws {
        #expect(try Configuration(yaml: yaml("no"), file: "apus.yml").tls.encryption == .no)
    }

    @Test func eachProblemWithTheFilesHasARemedy() throws {
        #expect(problems(yaml("strict"))?.contains("tls.certificate: there is no file \(files.certificate)") == true)
        #expect(problems(yaml("strict"))?.contains("`apus certificate`") == true)
        try makeCertificate()
        #expect(problems(yaml("strict")) == nil)
        let other = try SelfSignedCertificate(for: [.host("other")], days: 7)
        try state.write(other.key, to: files.key)
        #expect(
            problems(yaml("optional"))?.contains("tls.key: \(files.key) is not the key of the certificate in") == true)
        try folder.write("nothing", to: "key.pem")
        #expect(problems(yaml("optional"))?.contains("tls.key: \(files.key) contains no key in PEM") == true)
        try FileManager.default.removeItem(atPath: files.key)
        #expect(problems(yaml("optional"))?.contains("tls.key: there is no file") == true)
        try FileManager.default.createDirectory(atPath: files.key, withIntermediateDirectories: false)
        #expect(problems(yaml("optional"))?.contains("tls.key: \(files.key) contains no key") == true)
    }

    @Test func anExpiredCertificateIsReportedWithItsDate() throws {
        let own = try SelfSignedCertificate(for: [.host("h")], days: -1)
        try state.write(own.certificate, to: files.certificate)
        try state.write(own.key, to: files.key)
        let problem = try #require(problems(yaml("optional")))
        #expect(problem.contains("expired on 20") && problem.contains("apus certificate --replace"), "\(problem)")
    }

    @Test func strictEncryptionRefusesMulticastAndPlaylists() throws {
        try makeCertificate()
        let multicast = problems(yaml("strict", "paths: { cam: { multicast: always } }"))
        #expect(multicast?.contains("paths.cam: is multicast, which is not encrypted") == true)
        let configuration = try Configuration(yaml: yaml("strict"), file: "apus.yml")
        #expect(throws: PlaylistFailure.noTLS) {
            try configuration.playlist(of: "cam", hosts: [.local], cachingMilliseconds: 100)
        }
    }

    @Test func theTLSPortDiffersFromTheServerPort() throws {
        try makeCertificate()
        let same = "tls: { encryption: optional, port: 8554, certificate: \(files.certificate), key: \(files.key) }"
        #expect(problems(same)?.contains("tls.port: is the same as server.port") == true)
    }

    /// SRT has no TLS: its media is clear unless the path has a passphrase.
    @Test(arguments: [
        ("strict", false, "tls.encryption is strict"), ("strict", true, "tls.encryption is strict"),
        ("optional", true, "srt.requirePassphrase is true"), ("optional", false, nil),
    ])
    func strictEncryptionDemandsPassphrasesOfSRT(encryption: String, isRequired: Bool, reason: String?) throws {
        try makeCertificate()
        let rest = "srt: { requirePassphrase: \(isRequired) }"
        let configuration = try Configuration(yaml: yaml(encryption, rest), file: "apus.yml")
        #expect(configuration.srtPassphraseDemand?.rawValue == reason)
    }

    // MARK: - Messages

    @Test func theNoticeHasTheURLOfEachPortAndCommandsForTheFirst() throws {
        let stream = StartupNotice.StreamLine(path: "/cam", label: "test card")
        let both = StartupNotice(listeners: [], streams: [stream], port: 8554, tlsPort: 8322, hosts: [.local]).text(
            for: .terminal)
        #expect(both.contains("  rtsp://localhost:8554/cam\n") && both.contains("  rtsps://localhost:8322/cam\n"))
        #expect(
            both.contains("vlc rtsp://") && !both.contains("ffplay -flags low_delay -framedrop -rtsp_transport tcp"))
        let strict = StartupNotice(listeners: [], streams: [stream], port: nil, tlsPort: 8322, hosts: [.local]).text(
            for: .terminal)
        #expect(
            strict.contains("-rtsp_transport tcp rtsps://localhost:8322/cam")
                && strict.contains("tls-validation-flags=0"))
        #expect(!strict.contains("rtsp://") && !strict.contains("vlc") && !strict.contains("playlist"))
    }

    @Test func apusCertificatePrintsTheLinesForTheConfiguration() throws {
        let hosts = try ["garden.example", "192.0.2.7", "2001:db8::7", "localhost"].map { try #require(URLHost($0)) }
        let own = try OwnCertificate(for: hosts, in: state)
        #expect(own.text(isUsual: true).contains("A certificate for garden.example, 192.0.2.7, 2001:db8::7, localhost"))
        let yaml = own.text(isUsual: false).split(separator: "\n").drop { $0 != "tls:" }.prefix(4).joined(
            separator: "\n")
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        #expect(configuration.tls.encryption == .optional && CertificateFiles(configuration.tls) == files)
        #expect(OwnCertificate.usualHosts().contains(.local))
    }

    // MARK: - Changes

    @Test func changedFilesAreReadWhenTheyHaveStoppedChanging() throws {
        try makeCertificate()
        let taken = Taken()
        let watch = try CertificateWatch(files, log: .silent) { taken.add($0) }
        watch.look()
        watch.look()
        #expect(taken.count == 0)
        let other = try SelfSignedCertificate(for: [.host("other")], days: 99)
        try state.write(other.key, to: files.key)
        watch.look()
        try state.write(other.certificate, to: files.certificate)
        watch.look()
        #expect(taken.count == 0, "certificate and key have just been written")
        watch.look()
        #expect(taken.count == 1)
        #expect(try taken.last?.validity == ServerIdentity(certificates: other.certificate, key: other.key).validity)
        watch.look()
        #expect(taken.count == 1)
    }

    @Test func filesThatCannotBeUsedChangeNothing() throws {
        try makeCertificate()
        let taken = Taken()
        let watch = try CertificateWatch(files, log: .silent) { taken.add($0) }
        try folder.write("half", to: "certificate.pem")
        for _ in 0..<3 { watch.look() }
        #expect(taken.count == 0)
        try makeCertificate()
        for _ in 0..<3 { watch.look() }
        #expect(taken.count == 1)
    }

    @Test func otherFilesAreReadAtOnce() throws {
        try makeCertificate()
        let taken = Taken()
        let watch = try CertificateWatch(files, log: .silent) { taken.add($0) }
        let elsewhere = StateFolder(at: folder.file("elsewhere"))
        watch.follow(try OwnCertificate(for: [.local], in: elsewhere).files)
        #expect(taken.count == 1)
        let (old, new) = (Configuration(), try Configuration(yaml: "tls: { key: /k }", file: "apus.yml"))
        let difference = ConfigurationDifference(from: old, to: new, running: old)
        #expect(difference.isCertificateMoved && difference.live == ["tls.key"] && difference.atNextStart.isEmpty)
        let port = try Configuration(yaml: "tls: { port: 322 }", file: "apus.yml")
        #expect(ConfigurationDifference(from: old, to: port, running: old).atNextStart == ["tls.port"])
    }

    /// The certificates that the server got.
    private final class Taken: Sendable {
        private let identities = Mutex<[ServerIdentity]>([])

        func add(_ identity: ServerIdentity) { identities.withLock { $0.append(identity) } }
        var count: Int { identities.withLock(\.count) }
        var last: ServerIdentity? { identities.withLock(\.last) }
    }
}

extension Logger {
    fileprivate static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
