import FoundationEssentials
import Logging
import RTSPServer
import Testing

@testable import RTSP
@testable import Server

struct AccessConfigurationTests {
    static let md5 = "md5:0123456789abcdef0123456789abcdef"

    @Test func usersAndAddressesAreRead() throws {
        let yaml = """
            access: { realm: Our cameras, digest: md5, nonceSeconds: 60, allow: [10.0.0.0/8, "::1"], deny: 10.1.0.0/16 }
            users:
              ann: { password: "s3cret: with a colon" }
              bob:
                password: \(Self.md5.uppercased())
                read: [cam, yard/*]
                publish: door
                control: ["*"]
                allow: [192.0.2.7]
              key: { password: "salted:\(String(repeating: "0f", count: 16)):\(String(repeating: "a0", count: 32))" }
            """
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        #expect(configuration.access.realm == "Our cameras" && configuration.access.nonceSeconds == 60)
        #expect(configuration.access.allow.map(\.description) == ["10.0.0.0/8", "0:0:0:0:0:0:0:1/128"])
        #expect(configuration.access.deny.map(\.description) == ["10.1.0.0/16"])
        let users = configuration.users
        #expect(users["ann"]?.password?.secret == .password("s3cret: with a colon"))
        #expect(users["ann"]?.read.map(\.description) == ["*"] && users["ann"]?.control == [])
        let bob = try #require(users["bob"])
        #expect(bob.password?.secret == .digest(String(Self.md5.dropFirst(4))) && bob.password?.algorithm == .md5)
        #expect(bob.read.map(\.description) == ["cam", "yard/*"] && bob.publish.map(\.description) == ["door"])
        #expect(bob.allow.map(\.description) == ["192.0.2.7/32"])
        let bytes = (Array(repeating: UInt8(0x0F), count: 16), Array(repeating: UInt8(0xA0), count: 32))
        #expect(users["key"]?.password?.secret == .salted(salt: bytes.0, key: bytes.1))
        #expect(AccessPolicy(configuration, viewer: .random())?.realm == "Our cameras")
    }

    @Test func aWebServerCanDecideInsteadOfUsers() throws {
        let yaml = "access: { httpCallback: 'http://127.0.0.1:9/auth', httpCallbackExcept: [lobby/*] }"
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        #expect(!configuration.needsViewerPassword && !configuration.isOpen)
        let policy = try #require(AccessPolicy(configuration, viewer: .random()))
        #expect(policy.exemptPaths?.map(\.description) == ["lobby/*"])
        #expect(HTTPCallback(configuration.access, log: Logger(label: "test")) != nil)
        #expect(HTTPCallback(Configuration().access, log: Logger(label: "test")) == nil)
    }

    /// The fields that MediaMTX sends to `authHTTPAddress`.
    @Test func theRequestHasTheFieldsOfMediaMTX() throws {
        let question = ExternalAuthorisationRequest(
            user: "ann", password: "se\"same", right: .read, path: "yard/cam", query: "day=1", address: "192.0.2.7",
            security: .tls, userAgent: "VLC")
        let bytes = try question.json(for: "a-b")
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(bytes)) == [
                "user": "ann", "password": "se\"same", "token": "", "ip": "192.0.2.7", "action": "read",
                "path": "yard/cam", "protocol": "rtsps", "id": "a-b", "query": "day=1", "userAgent": "VLC",
            ])
    }

    @Test(arguments: [
        ("access: { httpCallback: 'ftp://x' }", "access.httpCallback: must begin with http:// or https://"),
        (
            "access: { httpCallback: 'http://x' }\nusers: { ann: { password: x } }",
            "access.httpCallback: replaces users, but there are users; remove one of them"
        ),
        (
            "access: { httpCallback: 'http://x', open: yes }",
            "access.httpCallback: decides which clients may watch, but access.open"
        ),
        ("users: { ann: }", "apus.yml:1:10: users.ann: has no password; `apus password ann` makes an entry with one"),
        ("users: { 'a b': { password: x } }", "apus.yml:1:10: users.a b: a name is 1 to 64 letters"),
        ("users: { ann: { password: [x] } }", "apus.yml:1:27: users.ann.password: expects a password"),
        ("users: { ann: { password: '' } }", "users.ann.password: expects a password of at most 128 bytes"),
        ("users: { ann: { password: md5:12 } }", "users.ann.password: expects a password of at most 128 bytes"),
        ("users: { ann: { password: 'salted:ab:cd' } }", "users.ann.password: expects a password"),
        (
            "users: { ann: { password: x, read: [/cam] } }",
            "apus.yml:1:37: users.ann.read: expects a list of at most 64"
        ),
        (
            "users: { ann: { password: x, allow: 10.0.0.1/8 } }",
            "users.ann.allow: expects a list of at most 64, each an address, or network such as 192.168.1.0/24, not `10.0.0.1/8`; "
                + "write 10.0.0.0/8 for the network, or 10.0.0.1 for the one address"
        ),
        (
            "access: { allow: 2001:db8::7/64 }",
            "write 2001:db8:0:0:0:0:0:0/64 for the network, or 2001:db8:0:0:0:0:0:7 for the one address"
        ),
        ("access: { deny: 10.0.0.0/33 }", "the number after the / is at most 32"),
        ("access: { deny: { a: b } }", "apus.yml:1:17: access.deny: expects a list"),
        ("access: { allow: [&a 10.0.0.0/8] }", "access.allow: expects a list"),
        ("access: { digest: sha-1 }", "access.digest: expects one of md5, sha-256"),
        ("access: { realm: 'a\"b' }", "access.realm: expects 1 to 64 letters, digits and spaces"),
        (
            "access: { digest: sha-256 }\nusers:\n  ann:\n    password: \(md5)\n",
            "apus.yml:4:15: users.ann.password: is a hash for access.digest md5, but access.digest is sha-256"
        ),
    ])
    func mistakesAreReportedWithTheirLine(yaml: String, message: String) throws {
        let text = try #require(problems(yaml))
        #expect(text.contains(message), "\(text)")
    }

    @Test func noMessageAndNoDumpShowsAPassword() throws {
        let secret = "md5:hunter2hunter2"
        #expect(problems("users: { ann: { password: '\(secret)' } }")?.contains("hunter2") == false)
        let configuration = try Configuration(yaml: "users: { ann: { password: hunter2 } }", file: "apus.yml")
        var dumped = ""
        dump(configuration.users["ann"]?.password, to: &dumped)
        #expect(!"\(configuration) \(configuration.summary) \(dumped)".contains("hunter2"))
    }

    @Test func aChangedPasswordIsADifferenceThatAppliesAtOnce() throws {
        let old = try Configuration(yaml: "users: { ann: { password: one } }", file: "apus.yml")
        let new = try Configuration(yaml: "users: { ann: { password: two } }", file: "apus.yml")
        let difference = ConfigurationDifference(from: old, to: new, running: old)
        #expect(difference.live == ["users.ann.password"] && difference.atNextStart.isEmpty)
        #expect(difference.isAccessChanged)
        let address = try Configuration(
            yaml: "{ users: { ann: { password: one } }, server: { address: 127.0.0.1 } }", file: "apus.yml")
        #expect(!ConfigurationDifference(from: old, to: address, running: old).isAccessChanged)
    }
}

struct PasswordEntryTests {
    @Test(arguments: [
        (PasswordEntry.Form.digest, DigestAlgorithm.md5, "md5:"), (.digest, .sha256, "sha-256:"),
        (.salted, .md5, "salted:"), (.plain, .sha256, "longenough"),
    ])
    func thePrintedEntryCanBeReadAsConfiguration(
        form: PasswordEntry.Form, digest: DigestAlgorithm, beginning: String
    ) throws {
        var access = Configuration.Access()
        access.digest = digest
        let entry = try PasswordEntry(user: "ann", password: "longenough", as: form, for: access)
        let yaml = "access: { digest: \(digest.word) }\n" + entry.text
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        let password = try #require(configuration.users["ann"]?.password)
        #expect(password.text.hasPrefix(beginning))
        #expect(entry.text.contains("longenough") == (form == .plain))
    }

    @Test func eachSaltIsDifferent() throws {
        let entries = try (0..<8).map { _ in
            try PasswordEntry(user: "ann", password: "longenough", as: .salted, for: .init()).text
        }
        #expect(Set(entries).count == 8)
    }

    @Test(arguments: [
        ("ann", "longenough", PasswordEntry.Form.digest, []), ("Ann", "longenough", .digest, ["lower case"]),
        ("ann", "longEnough", .plain, ["lower case"]), ("ann", "long enough", .digest, ["percent-encoded"]),
        ("ann", "longenough", .salted, ["not for Digest"]),
        ("ann", "p@Ss", .digest, ["lower case", "percent", "short passwords"]),
    ])
    func clientsThatCannotUseThePasswordAreNamed(
        user: String, password: String, form: PasswordEntry.Form, parts: [String]
    ) throws {
        let entry = try PasswordEntry(user: user, password: password, as: form, for: .init())
        #expect(entry.warnings.count == parts.count)
        for (warning, part) in zip(entry.warnings, parts) { #expect(warning.contains(part)) }
        #expect(!entry.warnings.joined().contains(password))
    }

    @Test(arguments: [
        ("", "password"), ("a:b", "password"), ("ann", ""), ("ann", "a\nb"), ("ann", AccessConfigurationTests.md5),
    ])
    func invalidUsersAndPasswordsAreRefused(user: String, password: String) {
        #expect(throws: PasswordEntry.Refusal.self) {
            try PasswordEntry(user: user, password: password, as: .digest, for: .init())
        }
    }

    /// The first 32 bytes of the examples of PBKDF2 with HMAC-SHA-256 in RFC 7914, section 11.
    @Test(arguments: [
        ("passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"),
        ("Password", "NaCl", 80_000, "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"),
    ])
    func derivedKeysMatchTheStandard(password: String, salt: String, count: Int32, key: String) throws {
        _ = try HashFunctions.openSSL()
        let bytes = HashFunctions.pbkdf2(password: Array(password.utf8), salt: Array(salt.utf8), iterationCount: count)
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == key)
    }

    /// RFC 1321, appendix A.5; the example "abc" of FIPS 180-4.
    @Test func hashesMatchTheStandards() throws {
        let hashes = try HashFunctions.openSSL()
        func digits(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        #expect(digits(hashes.md5([])) == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(digits(hashes.md5(Array("message digest".utf8))) == "f96b697d7cb7938d525a2f31aaf161d0")
        #expect(
            digits(hashes.sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
