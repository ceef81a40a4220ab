import Glibc
import Testing

@testable import Reactor

@Suite struct UnixSocketTests {
    /// Calls `body` with a temporary folder.
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/apus-unix-XXXXXX".utf8CString)
        let folder = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }.map { String(cString: $0) }
        let path = try #require(folder)
        defer {
            unlink("\(path)/socket")
            rmdir(path)
        }
        try body(path)
    }

    private func mode(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    @Test func oneSideReadsWhatTheOtherWrites() throws {
        try withFolder { folder in
            let listener = try UnixListener(at: "\(folder)/socket")
            let client = try UnixSocket(connectingTo: "\(folder)/socket")
            guard let served = try listener.accept() else { return #expect(Bool(false), "no connection is pending") }
            #expect(served.peerUser == geteuid())
            #expect(client.write([1, 2, 3]) == .wrote(3))
            guard case .bytes([1, 2, 3]) = served.read(atMost: 10) else { return #expect(Bool(false)) }
            guard case .wouldBlock = served.read(atMost: 10) else { return #expect(Bool(false)) }
            let wasSilent = !client.waitToRead(milliseconds: 0)
            #expect(served.write([4]) == .wrote(1))
            let isHeard = client.waitToRead(milliseconds: 2_000)
            #expect(wasSilent && isHeard)
            let nobodyElse = try listener.accept() == nil
            #expect(nobodyElse)
        }
    }

    @Test func onlyTheOwnerMayConnectAndTheFileIsRemovedWithTheListener() throws {
        try withFolder { folder in
            let path = "\(folder)/socket"
            do {
                let listener = try UnixListener(at: path)
                #expect(mode(of: path) == S_IFSOCK | 0o600)
                _ = listener.fd
            }
            #expect(mode(of: path) == nil)
            let failure = #expect(throws: SystemError.self) { _ = try UnixSocket(connectingTo: path) }
            #expect(failure?.code == ENOENT)
        }
    }

    @Test func aStaleSocketIsReplacedAndALiveOneIsKept() throws {
        try withFolder { folder in
            let path = "\(folder)/socket"
            // Bound and closed without UnixListener, as after the kill of a process.
            let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #expect(try sockaddr_un.with(path: path) { Glibc.bind(dead, $0, $1) } == 0)
            close(dead)
            let listener = try UnixListener(at: path)
            let failure = #expect(throws: SystemError.self) { _ = try UnixListener(at: path) }
            #expect(failure?.isAddressInUse == true)
            _ = try UnixSocket(connectingTo: path)
            let came = try listener.accept() != nil
            #expect(came, "the old listener still accepts")
        }
    }

    @Test func anotherFileIsNeitherReplacedNorRemoved() throws {
        try withFolder { folder in
            let path = "\(folder)/socket"
            close(open(path, O_CREAT | O_WRONLY, 0o600))
            let failure = #expect(throws: SystemError.self) { _ = try UnixListener(at: path) }
            #expect(failure?.code == ENOTSOCK)
            #expect(mode(of: path) == S_IFREG | 0o600)
            unlink(path)
            do {
                let listener = try UnixListener(at: path)
                unlink(path)
                close(open(path, O_CREAT | O_WRONLY, 0o600))
                _ = listener.fd
            }
            #expect(mode(of: path) == S_IFREG | 0o600, "the file that replaced the socket is not removed")
        }
    }

    @Test func aPathThatIsTooLongFailsInsteadOfBeingTruncated() {
        let path = "/tmp/" + String(repeating: "a", count: 108)
        for connects in [true, false] {
            let failure = #expect(throws: SystemError.self) {
                if connects { _ = try UnixSocket(connectingTo: path) } else { _ = try UnixListener(at: path) }
            }
            #expect(failure?.code == ENAMETOOLONG)
        }
    }
}
