import TestSupport
import Testing

@testable import RTSP

/// Digest and Basic credentials, as in the RFCs' examples and as clients write them.
struct AuthorizationTests {
    @Test func theExampleOfRFC2617IsRight() throws {
        let text = """
            Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            uri="/dir/index.html", qop=auth, nc=00000001, cnonce="0a4f113b", \
            response="6629fae49393a05397450978507c4ef1", opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """
        guard case .digest(let credentials)? = Authorization(text) else { return #expect(Bool(false), "no Digest") }
        #expect(isCorrect(credentials, password: "Circle Of Life"))
        #expect(!isCorrect(credentials, password: "Circle of Life"))
    }

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func theExamplesOfRFC7616AreRight(algorithm: String, response: String) throws {
        let text = """
            Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
            cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        guard case .digest(let credentials)? = Authorization(text) else { return #expect(Bool(false), "no Digest") }
        #expect(isCorrect(credentials, password: "Circle of Life"))
    }

    /// The example of RFC 2069, section 2.4, corrected by its erratum 749.
    @Test func credentialsWithoutARequestCountAreValid() throws {
        let text = """
            Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            uri="/dir/index.html", response="1949323746fe6a43ef61f9606e7febea"
            """
        guard case .digest(let credentials)? = Authorization(text) else { return #expect(Bool(false), "no Digest") }
        #expect(isCorrect(credentials, password: "CircleOfLife"))
    }

    private func isCorrect(_ credentials: DigestCredentials, password: String) -> Bool {
        let secret = HashFunctions.real.digestSecret(
            credentials.algorithm, user: credentials.user, realm: credentials.realm, password: password)
        return credentials.response(secret: secret, method: RTSP.Method(rawValue: "GET"), .real) == credentials.response
    }

    static let hash = "0123456789abcdef0123456789ABCDEF"

    @Test(arguments: [
        // live555, also in VLC
        "Digest username=\"u\", realm=\"r\", nonce=\"n\", uri=\"rtsp://h/cam/\", response=\"\(hash)\"",
        // ffmpeg, with all optional fields
        "Digest username=\"u\",realm=\"r\",nonce=\"n\",uri=\"rtsp://h/cam/\",response=\"\(hash)\",algorithm=\"MD5\"",
        // GStreamer
        "Digest username=\"u\", realm=\"r\", nonce=\"n\", uri=\"rtsp://h/cam/\", response=\"\(hash)\", algorithm=MD5",
        // Unusual but valid
        "digest  USERNAME = u ,, realm=r,\tnonce=n, uri=rtsp://h/cam/ , response=\(hash), x=\"a,\\\"b\",",
        "Digest username=\"u\", realm=\"r\", nonce=\"n\", uri=\"rtsp://h/cam/\", response=\"\(hash)\", cnonce=\"x\"",
    ])
    func headersOfRealClientsAreRead(text: String) {
        guard case .digest(let read)? = Authorization(text) else { return #expect(Bool(false), "no Digest") }
        #expect(read.user == "u" && read.realm == "r" && read.nonce == "n" && read.uri == "rtsp://h/cam/")
        #expect(read.algorithm == .md5 && read.protection == nil && read.response == Self.hash.lowercased())
    }

    static let fields: [(String, String)] = [
        ("username", "\"u\""), ("realm", "\"r\""), ("nonce", "\"n\""), ("uri", "\"*\""), ("response", hash),
        ("algorithm", "MD5"), ("qop", "auth"), ("nc", "0000000a"), ("cnonce", "\"c\""),
    ]

    private func text(_ fields: [(String, String)]) -> String {
        "Digest " + fields.map { "\($0)=\($1)" }.joined(separator: ", ")
    }

    @Test func everyRequiredFieldMustBePresent() {
        #expect(Authorization(text(Self.fields)) != nil)
        for (index, field) in Self.fields.enumerated() where !["algorithm", "qop"].contains(field.0) {
            var fields = Self.fields
            fields.remove(at: index)
            #expect(Authorization(text(fields)) == nil, "without \(field.0)")
        }
    }

    @Test func hashedUserNamesAreNotSupported() {
        #expect(Authorization(text(Self.fields + [("userhash", "true")])) == nil)
        #expect(Authorization(text(Self.fields + [("userhash", "false")])) != nil)
    }

    @Test func aDuplicatedFieldInvalidatesTheHeader() {
        for field in Self.fields { #expect(Authorization(text(Self.fields + [field])) == nil, "\(field.0) twice") }
        #expect(Authorization(text(Self.fields + [("X", "1"), ("x", "1")])) == nil)
    }

    @Test(arguments: [
        ("response", ""), ("response", "\"\""), ("response", "xyz"), ("response", hash + "0"),
        ("response", String(repeating: "g", count: 32)), ("nc", "1"), ("nc", "-0000001"), ("nc", "000000001"),
        ("cnonce", "\"\""), ("qop", "auth-int"), ("qop", ""), ("algorithm", "MD5-sess"), ("algorithm", "SHA-256"),
        ("username", "\"u"), ("username", "u\""), ("username", "\"u\"v"), ("username", "\"u\\"), ("username", "u v"),
        ("realm", ""),
    ])
    func anInvalidFieldInvalidatesTheHeader(name: String, value: String) {
        let fields = Self.fields.map { $0.0 == name ? (name, value) : $0 }
        #expect(Authorization(text(fields)) == nil)
    }

    @Test(arguments: [
        "", "Digest", "Basic", "Bearer x", "Digest ", "Digest =", "Digest username", "Digest username=", "Basic :",
        "Basic dXNlcg==", "Basic !!!!", "Basic /////w==",
    ])
    func otherSchemesAndIncompleteHeadersAreNil(text: String) {
        #expect(Authorization(text) == nil)
    }

    @Test func basicCarriesUserAndPassword() {
        guard case .basic(let read)? = Authorization("basic  QWxhZGRpbjpvcGVuOnNlc2FtZQ==") else {
            return #expect(Bool(false), "no Basic")
        }
        #expect(read.user == "Aladdin" && read.password == "open:sesame")
        #expect("\(read)" == "redacted")
    }

    @Test func writtenCredentialsReadBackTheSame() {
        var random = SplitMix64(seed: 1)
        let characters = Array("ab\"\\ ,=:/@ü\u{301}\t")
        func word() -> String {
            String(
                (0..<Int.random(in: 1...8, using: &random)).compactMap { _ in characters.randomElement(using: &random) }
            )
        }
        for _ in 0..<500 {
            let challenge = DigestChallenge(
                realm: word(), nonce: word(), algorithm: Bool.random(using: &random) ? .md5 : .sha256)
            let count = Digits.hexadecimal(UInt32.random(in: 0 ... .max, using: &random), count: 8)
            let credentials = DigestCredentials(
                answering: challenge, user: word(), password: word(), method: .play, uri: word(),
                protection: Bool.random(using: &random) ? .init(countDigits: count, clientNonce: word()) : nil,
                hashes: .real)
            #expect(Authorization(credentials.headerValue) == .digest(credentials))
        }
    }

    @Test func hashesAreEqualOnlyIfAllBytesAre() {
        var random = SplitMix64(seed: 2)
        for count in 0..<40 {
            let text = random.bytes(count)
            #expect(HashFunctions.real.areEqual(text, text))
            #expect(!HashFunctions.real.areEqual(text, text + [0]))
            for place in 0..<count {
                var other = text
                other[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                #expect(!HashFunctions.real.areEqual(text, other), "differs at \(place)")
            }
        }
    }
}
