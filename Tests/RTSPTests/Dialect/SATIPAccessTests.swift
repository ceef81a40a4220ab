import Testing

@testable import RTSP

/// VLC's SAT>IP client does not support challenges. Its credentials come from the URL and permit only watching.
struct SATIPAccessTests {
    static let transport: Headers = [.transport: SATIPTests.transport]

    private func setUp(_ dialogue: inout Dialogue, _ authority: String, path: String = "cam") -> Response? {
        dialogue.ask(.setUp, "rtsp://\(authority)/\(path)", Self.transport)
    }

    @Test func credentialsInTheURLOpenASessionThatNeedsNoFurtherOnes() throws {
        var dialogue = Dialogue(access: .test())
        let response = setUp(&dialogue, "ann:sesame@192.0.2.1:8554")
        let session = try #require(response?.headers[.session].flatMap(SessionHeader.init)?.id)
        for method in [RTSP.Method.play, .options, .getParameter, .tearDown] {
            let control = dialogue.ask(method, "rtsp://192.0.2.1:8554/stream=1", [.session: session.text])
            #expect(control?.status == .ok, "\(method.rawValue)")
        }
        #expect(dialogue.accessFailures.isEmpty)
    }

    @Test(arguments: [
        "192.0.2.1", "ann:wrong@192.0.2.1", "ann@192.0.2.1", "ann:@192.0.2.1", "zoe:sesame@192.0.2.1", "@192.0.2.1",
        ":sesame@192.0.2.1", "ANN:sesame@192.0.2.1", "bob:garden@192.0.2.1",
    ])
    func wrongCredentialsInTheURLAreRefused(authority: String) {
        var dialogue = Dialogue(access: .test())
        let response = setUp(&dialogue, authority)
        #expect(response?.status == .unauthorized)
        #expect(dialogue.accessFailures.count == 1)
        #expect(!String(decoding: dialogue.sent, as: UTF8.self).contains("192.0.2.1"))
    }

    @Test(arguments: [
        (AccessPolicy.URLCredentials.all, true, true), (.loopback, false, true), (.none, false, false),
    ])
    func thePolicyDecidesWhichClientsMayLogInByURL(from: AccessPolicy.URLCredentials, others: Bool, host: Bool) throws {
        let numbers = RandomNumbers(seed: 1)
        let user = AccessPolicy.User(
            name: "ann", secret: .password("sesame"), rights: [.read: [try #require(PathPattern("*"))]])
        let policy = AccessPolicy(
            realm: "Apus", users: [user], guessing: .free, urlCredentials: from, hashes: { .real },
            random: numbers.next)
        for (peer, isAdmitted) in [
            (Dialogue.peer, others), (Endpoint(address: "127.0.0.1", isLoopback: true), host),
        ] {
            var dialogue = Dialogue(access: policy, peer: peer)
            #expect(setUp(&dialogue, "ann:sesame@h")?.status == (isAdmitted ? .ok : .unauthorized))
            #expect(dialogue.accessFailures == (isAdmitted ? [] : [.credentialsInURL]))
        }
    }

    @Test func theSessionGrantsNothingElse() throws {
        var dialogue = Dialogue(access: .test())
        let session = try #require(
            setUp(&dialogue, "ann:sesame@h")?.headers[.session].flatMap(SessionHeader.init)?.id)
        for url in ["rtsp://h/other", "rtsp://h/stream=2", "*"] {
            #expect(dialogue.ask(.getParameter, url, [.session: session.text])?.status == .unauthorized, "\(url)")
        }
        #expect(dialogue.ask(.play, "rtsp://h/stream=1")?.status == .unauthorized, "without the session's name")
        #expect(dialogue.ask(.describe, "rtsp://h/cam")?.status == .unauthorized)
        var other = Dialogue(access: .test())
        let stolen = other.ask(.play, "rtsp://h/stream=1", [.session: session.text])
        #expect(stolen?.status == .unauthorized)
    }

    @Test func otherClientsCannotLogInByURL() {
        var dialogue = Dialogue(access: .test())
        #expect(dialogue.ask(.describe, "rtsp://ann:sesame@h/cam")?.status == .unauthorized)
        #expect(
            dialogue.ask(.setUp, "rtsp://ann:sesame@h/cam/track1", Self.transport)?.status == .unauthorized)
    }

    @Test func theGrantOfTheSessionIsOnlyToWatch() {
        var dialogue = Dialogue(access: .test())
        dialogue.answers = false
        _ = setUp(&dialogue, "ann:sesame@h", path: "CAM")
        guard case .setUp(_, let request)? = dialogue.orders.last else { return #expect(Bool(false), "no order") }
        #expect(request.grant.user == "ann" && request.grant.admits(.read, "/cam"))
        #expect(!request.grant.admits(.control, "/cam") && !request.grant.admits(.publish, "/cam"))
    }

    /// The URL is in lower case and may match a forbidden path, so the server checks the permission for the real path.
    @Test func thePermissionIsCheckedAgainForTheRealPath() {
        var dialogue = Dialogue(access: .test())
        dialogue.answers = false
        _ = setUp(&dialogue, "bob:garden@h", path: "YARD/front")
        guard case .setUp(_, let request)? = dialogue.orders.last else { return #expect(Bool(false), "no order") }
        #expect(request.grant.admits(.read, "/yard/front") && !request.grant.admits(.read, "/YARD/front"))
    }
}
