import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Each system call by which the server communicates with clients fails once, with every documented error. At most the
    /// affected client notices, and no descriptor leaks.
    @Suite(.serialized, .exclusive, .enabled(if: Command.exists("clang"), "needs clang"))
    struct Faults {
        @Test func everySystemCallMayFailOnce() async throws {
            let plan = try await FaultPlan()
            let server = try await ServerProcess.start(["testcard"], prefix: plan.prefix)
            try await inject(Fault.all, by: plan, into: server, watchedOver: [.tcp, .udp]) {
                FaultObserver(server, over: $0)
            }
            await server.stop()
        }

        /// Faults affect encrypted viewers no more than others, and they can decrypt all packets that arrive.
        @Test func everySystemCallMayFailOnceForAnSRTPViewer() async throws {
            let folder = try await TemporaryFolder.withCertificate()
            let port = try LoopbackSocket.freePort()
            try folder.write(
                """
                tls: { encryption: optional, port: \(port), \(folder.certificateOptions) }
                paths: { cam: { source: testcard } }
                """, to: "apus.yml")
            let plan = try await FaultPlan()
            let server = try await ServerProcess.start(["--config", folder.file("apus.yml")], prefix: plan.prefix)
            try await inject(Fault.srtp, by: plan, into: server, watchedOver: [.tcp, .srtp]) { transport in
                FaultObserver(server, over: transport, tlsPort: port)
            }
            await server.stop()
        }

        /// At most the client in question is refused; the next request is not affected.
        @Test func everySystemCallOfTheCallbackMayFailOnce() async throws {
            let web = try WebServer { _ in 204 }
            defer { web.stop() }
            let folder = try TemporaryFolder()
            try folder.write(
                "{ access: { httpCallback: '\(web.url)' }, paths: { cam: { source: testcard } } }", to: "apus.yml")
            let plan = try await FaultPlan()
            let server = try await ServerProcess.start(["--config", folder.file("apus.yml")], prefix: plan.prefix)
            try await inject(Fault.callback, by: plan, into: server, watchedOver: [.tcp]) {
                FaultObserver(server, over: $0)
            }
            await server.stop()
        }

        /// A file that is not yet on the disk must not get its final name, because it could be empty after a power failure.
        @Test func aPasswordFileThatCannotBeSyncedIsNotKept() async throws {
            let plan = try await FaultPlan()
            let folder = try TemporaryFolder()
            let fault = Fault(call: .fsync, transport: .tcp, code: EIO, effect: .none)
            plan.arm(fault)
            let server = try await ServerProcess.start(
                ["testcard"], prefix: ["env", "STATE_DIRECTORY=\(folder.path)"] + plan.prefix)
            #expect(plan.wasReached, "\(fault) was not reached")
            plan.disarm()
            #expect(await server.logs("viewer-password"), "\(server.log)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            await server.stop()
        }

        /// Makes each call fail, one after the other.
        ///
        /// - Parameters:
        ///   - transports: The transports of clients that play before and after all faults.
        ///   - observer: Creates a client over a transport.
        private func inject(
            _ faults: [Fault], by plan: FaultPlan, into server: ServerProcess,
            watchedOver transports: [Fault.Transport],
            _ observer: (Fault.Transport) -> FaultObserver
        ) async throws {
            #expect(try await server.isServing())
            for transport in transports { #expect(await effect(to: observer(transport)) == .none, "\(transport)") }
            let descriptors = try await openDescriptors(of: server) { _ in true }
            for fault in faults {
                plan.arm(fault)
                let effect = await effect(to: observer(fault.transport))
                // The server reads the end of the connection after the client has seen everything.
                #expect(await eventually(within: 5) { plan.wasReached }, "\(fault) was not reached")
                plan.disarm()
                #expect(effect <= fault.effect, "\(fault): \(effect); \(server.log.suffix(500))")
                #expect(await self.effect(to: observer(.tcp)) == .none, "after \(fault)")
            }
            for transport in transports { #expect(await effect(to: observer(transport)) == .none, "\(transport)") }
            let left = try await openDescriptors(of: server) { $0 <= descriptors }
            #expect(left <= descriptors)
        }

        /// Returns the number of open descriptors as soon as `isEnough` accepts it, or after five seconds.
        private func openDescriptors(of server: ServerProcess, _ isEnough: (Int) -> Bool) async throws -> Int {
            var count = 0
            _ = try await eventually(within: 5) {
                count = try FileManager.default.contentsOfDirectory(
                    atPath: "/proc/\(server.command.processID)/fd"
                ).count
                return isEnough(count)
            }
            return count
        }

        private func effect(to observer: FaultObserver) async -> Fault.Effect {
            // The end of the client's connection is a result here.
            (try? await observer.watch()) ?? .end
        }
    }
}
