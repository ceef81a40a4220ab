import Testing

@testable import RTSP

/// Credentials in URLs, which no text shows.
struct UserInformationTests {
    @Test(
        arguments: [
            ("rtsp://user:password@h/cam", "user", "password"), ("rtsp://user@h/cam", "user", nil),
            ("rtsp://user:@h/cam", "user", ""), ("rtsp://:p@h/cam", "", "p"), ("rtsp://u:a:b@h:554/cam", "u", "a:b"),
            ("rtsp://u%40x:p%3a%2F@h/cam", "u@x", "p:/"), ("rtsp://u:p@x@h/cam", "u", "p@x"),
            ("rtsp://u:100%@h/cam", "u", "100%"), ("rtsp://u:%00@h/cam", "u", "%00"),
            ("rtsp://u:p@::1:8554/cam", "u", "p"),
        ] as [(String, String, String?)])
    func userAndPasswordAreParsed(text: String, user: String, password: String?) {
        let information = RequestURL(text)?.userInformation
        #expect(information?.user == user)
        #expect(information?.password == password)
        #expect(RequestURL(text)?.text.contains("@") == false)
    }

    @Test(arguments: ["rtsp://h/cam", "rtsp://@h/cam", "rtsp://h/a@b", "rtsp://h?x=u:p@y"])
    func urlsWithoutUserInformationHaveNone(text: String) {
        #expect(RequestURL(text) != nil)
        #expect(RequestURL(text)?.userInformation == nil)
    }

    @Test(
        arguments: [
            ("rtsp://vIewer:sesAme@h:99999/cam", "rtsp://h:99999/cam"), ("vIewer:sesAme@h", "h"),
            ("rtsp://vIewer:ses/Am@e@h", "rtsp://h"), ("vIewer:ses/Ame@h", "h"), ("rtsp:/vIewer@h", "rtsp://h"),
            ("http://h/cam", "http://h/cam"), ("@", ""), ("", ""), ("rtsp://ü:sesAme@ü", "rtsp://ü"),
        ] as [(String, String)])
    func invalidURLsAreShownWithoutCredentials(text: String, shown: String) {
        #expect(UserInformation.removed(from: text) == shown)
    }

    @Test func setUpPassesOnTheCredentials() {
        var dialogue = Dialogue()
        let url = "rtsp://viewer:sesame@192.0.2.1:8554/cam"
        #expect(dialogue.ask(.setUp, url, [.transport: "RTP/AVP;unicast;client_port=9000-9001"])?.status == .ok)
        guard case .setUp(_, let request)? = dialogue.orders.first else { return #expect(Bool(false), "no order") }
        #expect(request.userInformation?.user == "viewer" && request.userInformation?.password == "sesame")
        #expect(request.path == "/cam")
    }

    /// No value that is made of a URL shows user or password in its description, its reflection or a response.
    @Test(arguments: [
        "rtsp://vIewer:sesAme@h:8554/cam", "rtsp://vIewer:sesAme@::1:8554/cam", "rtsp://vIewer:sesAme@h/stream=7?src=1",
        "rtsp://vIewer:sesAme@h:99999/cam", "rtsp://vIewer:sesAme@h/%00", "rtsp://vIewer:sesAme@/cam",
        "rtsp://x:vIewer@sesAme@h/cam", "rtsp://vIewer:ses\tAme@h/cam", "http://vIewer:sesAme@h/cam",
    ])
    func noTextOfTheModuleShowsCredentials(url: String) {
        var texts: [String] = []
        func show(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            texts += [String(describing: value), String(reflecting: value), dumped]
        }
        if let parsed = RequestURL(url) { show(parsed) }
        texts += ["\(Request(.setUp, url))", String(reflecting: Parser.Element.request(Request(.play, url)))]
        for method in Method.served + Method.known + [Method(rawValue: "EAT")] {
            var dialogue = Dialogue()
            for transport in ["RTP/AVP;unicast;client_port=9000-9001", "RTP/AVP/TCP", "RTP/AVP;client_port=0-0"] {
                dialogue.put("\(method.rawValue) \(url) RTSP/1.0\r\nCSeq: 1\r\nTransport: \(transport)\r\n\r\n")
            }
            dialogue.put("PLAY \(url) RTSP/1.0\r\nCSeq: 2\r\nSession: \(Dialogue.session(1))\r\n\r\n")
            dialogue.connection.shuttingDown()
            dialogue.drain()
            show(dialogue.orders)
            texts.append(String(decoding: dialogue.sent, as: UTF8.self))
        }
        #expect(texts.allSatisfy { !$0.contains("vIewer") && !$0.contains("sesAme") })
    }
}
