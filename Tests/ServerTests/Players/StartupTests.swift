import Foundation
import Logging
import Reactor
import Streams
import TestSupport
import Testing

@testable import Server

struct StartupTests {
    @Test func theNoticeContainsPortsURLsAndCommands() throws {
        let notice = StartupNotice(
            listeners: ["[::]:8554 (IPv6 and IPv4)"], streams: [.init(path: "/cam", label: "test card")], port: 8554,
            hosts: try ["localhost", "192.0.2.7", "2001:db8::7"].map { try #require(URLHost($0)) })
        let text = notice.text(for: .terminal)
        let lines = text.split(separator: "\n")
        #expect(lines.contains("listening on [::]:8554 (IPv6 and IPv4)"))
        #expect(lines.contains("/cam  test card"))
        for host in ["localhost", "192.0.2.7", "[2001:db8::7]"] {
            let url = "rtsp://\(host):8554/cam"
            for player in ["ffplay", "mpv", "gst-launch-1.0"] {
                #expect(lines.count { $0.contains(player) && $0.contains(url) } == 1, "\(player) \(url)")
            }
        }
        // VLC's SAT>IP access receives over IPv4 only.
        #expect(
            lines.filter { $0.contains("vlc ") }.map { $0.drop { $0 != "v" } }
                == ["vlc rtsp://127.0.0.1:8554/cam", "vlc rtsp://192.0.2.7:8554/cam"])
        #expect(text.contains("apus playlist"))
        // With it, ffplay drops the first IDR frame (measured: 2 s until the first frame).
        #expect(!text.contains("nobuffer"))
    }

    /// Passphrases of the configuration are not shown.
    @Test(arguments: [(StartupNotice.SRTAccess.passphrase, "&passphrase=PASSPHRASE"), (.clear, "")])
    func theNoticeHasTheLinesOfRTMPAndSRT(srt: StartupNotice.SRTAccess, passphrase: String) throws {
        let stream = StartupNotice.StreamLine(path: "/live/yard", label: "publisher", takesPublishers: true, srt: srt)
        let notice = StartupNotice(
            listeners: [], streams: [stream], port: 8554, hosts: [try #require(URLHost("192.0.2.7"))], access: .open,
            rtmp: .init(clear: 1935, tls: 1936), srtPort: 8890)
        let lines = notice.text(for: .terminal).split(separator: "\n").map { $0.drop { $0 == " " } }
        let url = "srt://192.0.2.7:8890?streamid=publish:live/yard\(passphrase)"
        for line in [
            "OBS        Server rtmp://192.0.2.7/live  Stream Key yard",
            "Larix      rtmp://192.0.2.7/live/yard",
            "SRT        ffmpeg -re -i FILE -c copy -f mpegts \"\(url)&pkt_size=1316\"",
            "OBS, SRT   Server \(url)&latency=120000",
            "Larix      srt://192.0.2.7:8890  Stream ID publish:live/yard"
                + (srt == .passphrase ? "  Passphrase PASSPHRASE" : ""),
            "RTMP       vlc \"rtmp://192.0.2.7/live/yard\"",
            "SRT        vlc \"srt://192.0.2.7:8890?streamid=read:live/yard\(passphrase)\"",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
        let explanation = "clients of SRT need the path's srt.passphrase: write it instead of PASSPHRASE"
        #expect(lines.contains { $0 == explanation } == (srt == .passphrase))
        let watching = try #require(lines.firstIndex { $0.hasPrefix("SRT        vlc") })
        #expect(try #require(lines.firstIndex(of: "publish to it")) > watching)
    }

    /// What is pasted would be refused.
    @Test func theNoticeHasNoLinesOfSRTForPathsThatLackADemandedPassphrase() throws {
        var configuration = Configuration()
        configuration.srt.requirePassphrase = true
        var path = Configuration.Path()
        #expect(configuration.srtAccess(to: path) == .refused)
        let stream = StartupNotice.StreamLine(path: "/yard", label: "publisher", takesPublishers: true, srt: .refused)
        let notice = StartupNotice(
            listeners: [], streams: [stream], port: 8554, hosts: [.local], access: .open, srtPort: 8890)
        #expect(!notice.text(for: .terminal).contains("srt"))
        path.srt.passphrase = "a long secret"
        #expect(configuration.srtAccess(to: path) == .passphrase)
        configuration.srt.requirePassphrase = false
        #expect(configuration.srtAccess(to: Configuration.Path()) == .clear)
    }

    @Test func theNoticeBeginsWithTheURLsOfThePage() throws {
        let hosts = try ["localhost", "192.0.2.7", "2001:db8::7"].map { try #require(URLHost($0)) }
        func text(_ page: StartupNotice.Page?) throws -> String {
            StartupNotice(
                listeners: ["[::]:8554"], streams: [.init(path: "/cam", label: "test card")], port: 8554, hosts: hosts,
                access: .viewer(try GeneratedAccess(keptIn: nil, log: Logger(label: "test"))), page: page
            ).text(for: .terminal)
        }
        let clear = try text(StartupNotice.Page(port: 8888, tlsPort: 8889)).split(separator: "\n").map(String.init)
        #expect(clear[0].hasPrefix("Apus "))
        #expect(
            clear[1..<6] == [
                "all streams in a browser", "  http://localhost:8888/", "  http://192.0.2.7:8888/",
                "  http://[2001:db8::7]:8888/", "listening on [::]:8554",
            ])
        let strict = try text(StartupNotice.Page(port: nil, tlsPort: 8889))
        #expect(strict.contains("  https://192.0.2.7:8889/\n") && !strict.contains("http://"))
        #expect(!(try text(StartupNotice.Page(port: nil, tlsPort: nil))).contains("browser"))
    }

    @Test func theNoticeMarksAPathWhoseFileCannotBeOpened() throws {
        let folder = try TemporaryFolder()
        try folder.write("no video", to: "notes.txt")
        var configuration = try Configuration(
            yaml: "paths: { cam: { source: \(folder.file("notes.txt")) }, card: {} }", file: "apus.yml")
        configuration.server.port = 0
        configuration.http.port = 0
        configuration.control.socket = ""
        configuration.rtp.firstUDPPort = 20_000
        configuration.rtp.lastUDPPort = 24_000
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let assembly = try Assembly(configuration, log: log)
        try assembly.start()
        defer { assembly.stop() }
        let text = assembly.noticeOfStartedServer(withinMilliseconds: 20_000).text(for: .log)
        let file = folder.file("notes.txt")
        #expect(text.contains("\n/cam  \(file) (NO INPUT: \(file) cannot be read"), "\(text)")
        #expect(text.split(separator: "NO INPUT").count == 2, "only /cam has failed")
    }

    @Test func multicastPathsGetGroupsInTheOrderOfTheirNames() throws {
        let yaml = "paths: { c: { multicast: onRequest }, a: { multicast: onRequest }, b: { multicast: off } }"
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        #expect(configuration.multicastGroups.mapValues(\.description) == ["a": "239.255.42.1", "c": "239.255.42.2"])
        #expect(
            configuration.summary
                == "port 8554 on all addresses\nport 8888 on all addresses, for HTTP\n"
                + "port 8189 on all addresses, UDP and TCP, for WebRTC\n"
                + "/a: testcard, multicast 239.255.42.1\n/b: testcard\n/c: testcard, multicast 239.255.42.2\n")
    }

    @Test func aPathThatIsMulticastInEitherFormHasAGroup() throws {
        let yaml = """
            paths:
              a: { multicastTransportStream: onRequest }
              b: { multicast: always, multicastTransportStream: always }
              c: {}
            """
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        #expect(configuration.multicastGroups.mapValues(\.description) == ["a": "239.255.42.1", "b": "239.255.42.2"])
        #expect(
            configuration.summary
                == "port 8554 on all addresses\nport 8888 on all addresses, for HTTP\n"
                + "port 8189 on all addresses, UDP and TCP, for WebRTC\n"
                + "/a: testcard, rtp://@239.255.42.1:5012\n/b: testcard, multicast 239.255.42.2, rtp://@239.255.42.2:5012\n/c: testcard\n"
        )
    }

    @Test func theNoticeContainsTheMulticastAddressesOfItsPaths() throws {
        let yaml = """
            paths:
              a: { multicast: always, multicastTransportStream: onRequest }
              b: {}
              c: { multicast: onRequest }
            """
        var configuration = try Configuration(yaml: yaml, file: "apus.yml")
        configuration.server.port = 0
        configuration.http.port = 0
        configuration.control.socket = ""
        configuration.rtp.firstUDPPort = 20_000
        configuration.rtp.lastUDPPort = 24_000
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let lines = try Assembly(configuration, log: log).notice.text(for: .log).split(separator: "\n").map(String.init)
        #expect(
            lines.filter { $0.hasPrefix("  multicast") } == [
                "  multicast  239.255.42.1, UDP port 5004 and up, always (.sdp file: apus sdp)",
                "  multicast  MPEG-TS, while viewers ask for it: vlc rtp://@239.255.42.1:5012",
                "  multicast  239.255.42.2, UDP port 5004 and up, while viewers ask for it (.sdp file: apus sdp)",
            ])
    }

    @Test func udpPortsInUseAreReportedWithTheOptionThatChangesThem() throws {
        let taken = try RTPSocketPair.bind(evenIn: 25_000...29_000)
        var configuration = Configuration()
        configuration.server.port = 0
        configuration.http.port = 0
        configuration.loops.threads = 1
        configuration.use(try #require(UDPPortRange("\(taken.port)-\(taken.port + 1)")))
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let failure = #expect(throws: Assembly.Failure.self) { try Assembly(configuration, log: log) }
        #expect(
            failure?.description
                == "not enough UDP ports are free from \(taken.port) to \(taken.port + 1): the server has 1 event loop, which needs an "
                + "even port and the next one; stop the program that uses them, or choose other ports with --udp-ports "
                + "(rtp.firstUDPPort, rtp.lastUDPPort)")
    }

    @Test(arguments: ["", "6970", "6970-", "6970-6971-6972", "1000-2000", "7000-6970", "6970-70000", "6970-6970"])
    func invalidRangesOfUDPPortsAreRefused(_ text: String) {
        #expect(UDPPortRange(text) == nil)
    }

    @Test func withoutPathsTheTestCardIsServed() {
        #expect(Configuration().servedPaths == ["cam": Configuration.Path()])
    }
}

struct InputKindTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")

    private func withFolder(_ body: (String) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A file that remains in a temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: folder.appending(path: "film.mp4"))
        try body(folder.path)
    }

    @Test func filesFifosAndDevicesAreDistinguished() throws {
        try withFolder { (folder: String) throws -> Void in
            #expect(mkfifo("\(folder)/fifo", 0o600) == 0)
            #expect(try InputKind(of: "\(folder)/film.mp4") == .file)
            #expect(try InputKind(of: "\(folder)/fifo") == .pipe)
            #expect(try InputKind(of: "/dev/null") == .pipe)
            #expect(try InputKind(of: "/dev/video77") == .camera, "it may be plugged in later")
        }
    }

    @Test func filesThatCannotBeReadAreReportedWithARemedy() throws {
        try withFolder { (folder: String) throws -> Void in
            let table = [
                (folder, "\(folder) is a folder", "name a file in it"),
                ("\(folder)/flim.mp4", "no file at \(folder)/flim.mp4", "did you mean \(folder)/film.mp4?"),
                ("\(folder)/no/film.mp4", "no file at \(folder)/no/film.mp4", "check the path"),
            ]
            for (path, reason, remedy) in table {
                let failure = #expect(throws: SourceFailure.self) { try InputKind(of: path) }
                #expect(failure == SourceFailure(reason: reason, remedy: remedy))
            }
        }
    }

    @Test func onlyASingleMissingFileIsRefused() throws {
        let missing = try SourceArgument("/nowhere/film.mp4")
        #expect(throws: SourceArgument.Refusal.self) { try SourceArgument.refuseLoneMissingFile([missing]) }
        try SourceArgument.refuseLoneMissingFile([missing, SourceArgument("testcard")])
        try SourceArgument.refuseLoneMissingFile([SourceArgument("testcard")])
        try SourceArgument.refuseLoneMissingFile([SourceArgument("-")])
    }
}
