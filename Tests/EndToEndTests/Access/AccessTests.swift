import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// With users in the configuration, real clients play with the right password only.
    @Suite(.serialized, .sharesMachine)
    struct Access {
        /// `viewer` has the password `sesame77` as a hash of `apus password`; `gardener` may play other paths only.
        private static let users = """
            users:
              viewer: { password: "md5:0c58af1df45a7786b7cf06e90cedf6dc" }
              gardener: { password: garden88, read: yard/* }
            paths: { cam: { source: testcard } }
            """

        private func withUsers(_ body: (ServerProcess) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            try folder.write(Self.users, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { try await body($0) }
        }

        private func url(_ server: ServerProcess, as user: String) -> String { server.url(host: "\(user)@127.0.0.1") }

        @Test func clientsWithTheRightPasswordPlay() async throws {
            try await withUsers { server in
                let url = url(server, as: "viewer:sesame77")
                let clients = [(Client.ffmpeg, "tcp"), (.gstreamer, "udp"), (.mpv, "tcp")].filter(\.0.isInstalled)
                try await concurrently(clients) { client, transport in
                    try await client.watch(url, over: transport, log: server.log)
                }
                #expect(!server.log.contains("refused"))
            }
        }

        @Test(arguments: ["viewer:sesame78", "viewer", "gardener:garden88", "nobody:sesame77"])
        func wrongCredentialsAreRefused(credentials: String) async throws {
            try await withUsers { server in
                let outcome = try await Command.run(
                    Client.ffmpeg.arguments(url(server, as: credentials), over: "tcp"), within: 20)
                #expect(outcome.status != 0 && outcome.errors.contains("401 Unauthorized"))
                #expect(
                    !server.log.contains("joined") && !server.log.contains("sesame") && !server.log.contains("garden8"))
            }
        }

        @Test func withoutAPasswordOnlyOptionsSucceeds() async throws {
            try await withUsers { server in
                let client = try RTSPSocket(port: server.port)
                #expect(try client.request("OPTIONS", server.url()).status == 200)
                for path in ["cam", "none", ""] {
                    let response = try client.request("DESCRIBE", server.url(path))
                    #expect(response.status == 401)
                    #expect(response.header("WWW-Authenticate")?.hasPrefix("Digest realm=\"Apus\", nonce=\"") == true)
                }
            }
        }

        @Test(.enabled(if: VLC.isInstalled, "needs VLC"))
        func stockVLCPlaysWithThePasswordInItsURLAndTheLogSuggestsThatURL() async throws {
            try await withUsers { server in
                let vlc = try VLC(playing: url(server, as: "viewer:sesame77"))
                // A sanitizer makes frames late, which VLC then does not display.
                let playing = try await vlc.statistics(within: 15) {
                    (Sanitizer.current == nil ? $0.displayedFrames : $0.decodedFrames) >= 30
                }
                #expect(playing != nil)
                #expect(try await vlc.quit().status == 0)
                let stranger = try VLC(playing: server.url())
                #expect(await eventually(within: 10) { server.log.contains("rtsp://USER:PASSWORD@127.0.0.1:") })
                _ = try await stranger.quit()
                #expect(!server.log.contains("sesame"))
            }
        }

        @Test func aViewerWithoutPermissionIsDisconnectedOnSIGHUP() async throws {
            let folder = try TemporaryFolder()
            try folder.write(Self.users, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                let viewer = try Command(
                    Client.ffmpeg(url(server, as: "viewer:sesame77"), over: "tcp") + ["-c", "copy", "-f", "null", "-"])
                #expect(await eventually(within: 10) { server.log.contains("joined") }, "\(viewer.errors)")
                try folder.write(
                    Self.users.replacing("md5:0c58af1df45a7786b7cf06e90cedf6dc", with: "other777"), to: "apus.yml")
                server.command.signal(SIGHUP)
                #expect(
                    await eventually(within: 5) { server.log.contains("the client may no longer use the stream") })
                _ = await viewer.finish(within: 5)
                try await Client.ffmpeg.watch(url(server, as: "viewer:other777"), over: "tcp", log: server.log)
            }
        }

        @Test func apusCommandsAuthenticate() async throws {
            try await withUsers { server in
                let user = url(server, as: "viewer:sesame77")
                for verb in [
                    ["measure", user, "--frames", "10"],
                    ["bench", "viewers", "--url", user, "--count", "2", "--seconds", "1"],
                ] {
                    let outcome = try await Command.run([ServerProcess.binary()] + verb, within: 20)
                    #expect(outcome.status == 0, "\(outcome.diagnostics)")
                    #expect(!outcome.text.contains("sesame") && !outcome.errors.contains("sesame"))
                }
                let folder = try TemporaryFolder()
                try folder.write(Self.users.replacing("source: testcard", with: "multicast: onRequest"), to: "apus.yml")
                let description = try await Command.run(
                    [
                        ServerProcess.binary(), "sdp", "cam", "--port", "\(server.port)", "--config",
                        folder.file("apus.yml"),
                    ],
                    within: 20)
                #expect(description.status == 0 && description.text.hasPrefix("v=0"), "\(description.diagnostics)")
                let wrong = url(server, as: "viewer:sesame78")
                for verb in [["measure", wrong, "--frames", "10"], ["bench", "joins", "--url", wrong]] {
                    let outcome = try await Command.run([ServerProcess.binary()] + verb, within: 20)
                    #expect(outcome.status == 1, "\(outcome.diagnostics)")
                    #expect(
                        (outcome.errors + outcome.text).contains("wrong user or password"), "\(outcome.diagnostics)")
                    #expect(!outcome.errors.contains("sesame") && !outcome.text.contains("sesame"))
                }
            }
        }

        // MARK: - Without users

        /// Eleven guesses, as VLC's SAT>IP module would send them; prints one line per response.
        private static let guesses = """
            exec 3<>/dev/tcp/$0/$1
            for number in {1..11}; do
                printf 'SETUP rtsp://viewer:wrong%d@h/cam RTSP/1.0\\r\\nCSeq: %d\\r\\n' $number $number
                printf 'Transport: RTP/AVP;unicast;client_port=5000-5001\\r\\n\\r\\n'
            done >&3
            count=0
            while ((count < 11)) && read -r -t 10 line <&3; do
                [[ $line == RTSP/* ]] && echo "$line" && ((++count))
            done
            """

        /// One request of each method without credentials; prints one line per method.
        private static let methods = """
            exec 3<>/dev/tcp/$0/$1
            for method in OPTIONS DESCRIBE SETUP PLAY PAUSE TEARDOWN GET_PARAMETER SET_PARAMETER ANNOUNCE RECORD BREW; do
                printf '%s rtsp://h/cam RTSP/1.0\\r\\nCSeq: 1\\r\\n' $method >&3
                printf 'Transport: RTP/AVP/TCP;unicast;interleaved=0-1\\r\\n\\r\\n' >&3
                while read -r -t 10 line <&3; do
                    [[ $line == RTSP/* ]] && echo "$method ${line:9:3}" && break
                done
            done
            """

        /// Two connections more than one address may have; prints one line per connection.
        private static let connections = """
            trap '' PIPE
            for number in {1..66}; do
                exec {socket}<>/dev/tcp/$0/$1
                sockets+=($socket)
            done
            for socket in ${sockets[@]}; do
                printf 'OPTIONS * RTSP/1.0\\r\\nCSeq: 1\\r\\n\\r\\n' >&$socket
                read -r -t 10 line <&$socket && echo "${line:9:3}" || echo refused
            done 2>/dev/null
            """

        /// 60 connections from each of five addresses of one IPv6 network; prints one line per connection.
        private static let networkConnections = """
            trap '' PIPE
            for address in {2..6}; do
                ip -6 addr add fd77::$address/64 dev cable nodad
                ip -6 route replace fd77::1/128 dev cable src fd77::$address
                for number in {1..60}; do
                    exec {socket}<>/dev/tcp/fd77::1/$1
                    sockets+=($socket)
                done
            done
            for socket in ${sockets[@]}; do
                printf 'OPTIONS * RTSP/1.0\\r\\nCSeq: 1\\r\\n\\r\\n' >&$socket
                read -r -t 10 line <&$socket && echo "${line:9:3}" || echo refused
            done 2>/dev/null
            """

        /// Starts a server with three kinds of clients: another host, this host's own address (which needs the other host's
        /// password, too), and loopback.
        private func withNeighbour(_ body: (ServerProcess, NetworkPair) async throws -> Void) async throws {
            let pair = NetworkPair()
            do {
                try await pair.create()
                let folder = try TemporaryFolder()
                try folder.write(
                    "{ access: { wrongPasswordMilliseconds: 10 }, paths: { cam: { source: testcard } } }",
                    to: "apus.yml")
                let server = try await ServerProcess.start(
                    ["--config", folder.file("apus.yml")], prefix: pair.onServer)
                try await body(server, pair)
                await server.stop()
            } catch {
                Issue.record(error)
            }
            await pair.remove()
        }

        /// Runs `script` on the other host; returns the lines of its output.
        private func lines(of script: String, _ server: ServerProcess, _ pair: NetworkPair) async throws -> [String] {
            let shell = ["bash", "-c", script, pair.serverAddress, "\(server.port)"]
            let outcome = try await Command.run(pair.onClient + shell, within: 20)
            return outcome.text.split(whereSeparator: \.isNewline).map(String.init)
        }

        /// Returns the URL for other hosts from the notice at start, with the password from the file that the notice names.
        private func printedURL(_ server: ServerProcess) throws -> String {
            let notice = server.notice
            let url = try #require(notice.firstMatch(of: /rtsp:\/\/viewer:PASSWORD@10\S+/)).output
            let file = try #require(notice.firstMatch(of: /stored in (\S+): write it instead of PASSWORD/)).1
            let password = try String(contentsOfFile: String(file), encoding: .utf8)
            #expect(!notice.contains(password.dropLast()) && password.wholeMatch(of: /[a-z0-9]{14}\n/) != nil)
            return String(url).replacing("PASSWORD", with: password.dropLast())
        }

        @Test(.enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
        func otherHostsNeedThePrintedPasswordForAllButOptions() async throws {
            try await withNeighbour { server, pair in
                let (client, printed) = (Client.ffmpeg, try printedURL(server))
                try await client.watch(server.url(), over: "tcp", prefix: pair.onServer, log: server.log)
                try await client.watch(printed, over: "udp", prefix: pair.onClient, log: server.log)
                let plain = server.url(host: pair.serverAddress)
                let without = try await Command.run(pair.onClient + client.arguments(plain, over: "tcp"), within: 20)
                #expect(without.status != 0 && without.errors.contains("401 Unauthorized"))
                #expect(await server.logs("the client sent no user and password"))
                let answers = try await lines(of: Self.methods, server, pair)
                #expect(answers.first == "OPTIONS 200")
                #expect(answers.count == 11 && answers.dropFirst().allSatisfy { $0.hasSuffix(" 401") }, "\(answers)")
            }
        }

        @Test(.enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
        func onlyTheAddressThatGuessesPasswordsIsLockedOut() async throws {
            try await withNeighbour { server, pair in
                let (client, printed) = (Client.ffmpeg, try printedURL(server))
                let answers = try await lines(of: Self.guesses, server, pair).map { $0.dropFirst(9).prefix(3) }
                #expect(answers == Array(repeating: "401", count: 10) + ["403"])
                let late = try await Command.run(pair.onClient + client.arguments(printed, over: "tcp"), within: 20)
                #expect(late.status != 0 && late.errors.contains("403 Forbidden"), "\(late.diagnostics)")
                try await client.watch(printed, over: "tcp", prefix: pair.onServer, log: server.log)
                #expect(await server.logs("address locked out: too many wrong passwords peer=10.77.0.2"))
                #expect(!server.log.contains("wrong1"))
            }
        }

        @Test(.enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
        func connectionsAreLimitedPerAddress() async throws {
            try await withNeighbour { server, pair in
                let answers = try await lines(of: Self.connections, server, pair)
                #expect(answers == Array(repeating: "200", count: 64) + ["refused", "refused"])
                #expect(await server.logs("connection refused: too many connections from its address peer=10.77.0.2"))
                try await Client.ffmpeg.watch(
                    try printedURL(server), over: "tcp", prefix: pair.onServer, log: server.log)
            }
        }

        @Test(.enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
        func connectionsAreLimitedPerIPv6Network() async throws {
            try await withNeighbour { server, pair in
                let address = ["ip", "-6", "addr", "add", "fd77::1/64", "dev", "cable", "nodad"]
                #expect(try await Command.run(pair.onServer + address).status == 0)
                let answers = try await lines(of: Self.networkConnections, server, pair)
                #expect(answers == Array(repeating: "200", count: 256) + Array(repeating: "refused", count: 44))
                #expect(await server.logs("connection refused: too many connections from its IPv6 network (/64)"))
                try await Client.ffmpeg.watch(
                    try printedURL(server), over: "tcp", prefix: pair.onServer, log: server.log)
            }
        }

        @Test func theNoticeOfAnOpenServerSaysThatItIsOpen() async throws {
            try await withServer("--open", "testcard") { server in
                #expect(server.notice.contains("OPEN TO ALL") && !server.notice.contains("viewer:"))
            }
        }
    }
}
