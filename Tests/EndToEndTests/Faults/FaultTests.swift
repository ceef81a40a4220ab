import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Each system call by which the server hears and answers its clients fails once, in every way that Linux knows: at most the
    /// client whose call it was notices, and no descriptor is lost.
    @Suite(.serialized, .alone, .enabled(if: Command.exists("clang"), "needs clang"))
    struct Faults {
        @Test func everyCallMayFailOnce() async throws {
            let plan = try await FaultPlan()
            let server = try await ServerProcess.start(["testcard"], prefix: plan.prefix)
            try await inject(Fault.all, by: plan, into: server, watchedOver: [.tcp, .udp]) {
                FaultWitness(server, over: $0)
            }
            await server.stop()
        }

        /// Viewers whose media is encrypted miss nothing that others would not, and all that comes can be decrypted.
        @Test func everyCallMayFailOnceForAViewerBySRTP() async throws {
            let folder = try TemporaryFolder()
            let certificate = ["certificate", "--folder", folder.path, "--host", "127.0.0.1"]
            #expect(try await Command.run([ServerProcess.binary()] + certificate).status == 0)
            let port = try LoopbackSocket.freePort()
            try folder.write(
                """
                tls: { encryption: optional, port: \(port), certificate: \(folder.file("certificate.pem")), \
                key: \(folder.file("key.pem")) }
                paths: { cam: { source: testcard } }
                """, to: "apus.yml")
            let plan = try await FaultPlan()
            let server = try await ServerProcess.start(["--config", folder.file("apus.yml")], prefix: plan.prefix)
            try await inject(Fault.srtp, by: plan, into: server, watchedOver: [.tcp, .srtp]) { transport in
                FaultWitness(server, over: transport, tlsPort: port)
            }
            await server.stop()
        }

        /// At most the client that is asked about is turned away; the next one is asked about as if nothing had been.
        @Test func everyCallOfTheCallbackMayFailOnce() async throws {
            let web = try WebServer { _ in 204 }
            defer { web.stop() }
            let folder = try TemporaryFolder()
            try folder.write(
                "{ access: { httpCallback: '\(web.url)' }, paths: { cam: { source: testcard } } }", to: "apus.yml")
            let plan = try await FaultPlan()
            let server = try await ServerProcess.start(["--config", folder.file("apus.yml")], prefix: plan.prefix)
            try await inject(Fault.callback, by: plan, into: server, watchedOver: [.tcp]) {
                FaultWitness(server, over: $0)
            }
            await server.stop()
        }

        /// A file that is not on the disk yet gets no name that it would be found by after a power failure.
        @Test func aPasswordThatCannotBeSyncedIsNotKept() async throws {
            let plan = try await FaultPlan()
            let folder = try TemporaryFolder()
            let fault = Fault(call: .fsync, transport: .tcp, code: EIO, harm: .none)
            plan.arm(fault)
            let server = try await ServerProcess.start(
                ["testcard"], prefix: ["env", "STATE_DIRECTORY=\(folder.path)"] + plan.prefix)
            #expect(plan.disarm(), "\(fault) was not reached")
            #expect(await server.logs("viewer-password"), "\(server.log)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            await server.stop()
        }

        /// Has each call fail, one after the other.
        ///
        /// - Parameters:
        ///   - transports: over which a client watches before all and after all.
        ///   - witness: a client over a transport.
        private func inject(
            _ faults: [Fault], by plan: FaultPlan, into server: ServerProcess,
            watchedOver transports: [Fault.Transport],
            _ witness: (Fault.Transport) -> FaultWitness
        ) async throws {
            #expect(try await server.isServing())
            for transport in transports { #expect(await harm(to: witness(transport)) == .none, "\(transport)") }
            let descriptors = try await openDescriptors(of: server) { _ in true }
            for fault in faults {
                plan.arm(fault)
                let harm = await harm(to: witness(fault.transport))
                #expect(plan.disarm(), "\(fault) was not reached")
                #expect(harm <= fault.harm, "\(fault): \(harm); \(server.log.suffix(500))")
                #expect(await self.harm(to: witness(.tcp)) == .none, "\(fault), after it")
            }
            for transport in transports { #expect(await harm(to: witness(transport)) == .none, "\(transport)") }
            let left = try await openDescriptors(of: server) { $0 <= descriptors }
            #expect(left <= descriptors)
        }

        /// How many descriptors it has once `isEnough`, or after five seconds.
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

        private func harm(to witness: FaultWitness) async -> Fault.Harm {
            // A client whose connection ends is an answer here.
            (try? await witness.watch()) ?? .end
        }
    }
}
