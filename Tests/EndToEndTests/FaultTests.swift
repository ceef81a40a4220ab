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
            #expect(try await server.isOnAir())
            #expect(await harm(to: FaultWitness(server, over: .tcp)) == .none)
            #expect(await harm(to: FaultWitness(server, over: .udp)) == .none)
            let descriptors = try await openDescriptors(of: server) { _ in true }
            for fault in Fault.all {
                plan.arm(fault)
                let harm = await harm(to: FaultWitness(server, over: fault.transport))
                #expect(plan.disarm(), "\(fault) was not reached")
                #expect(harm <= fault.harm, "\(fault): \(harm); \(server.log.suffix(500))")
                #expect(
                    await self.harm(to: FaultWitness(server, over: .tcp)) == .none, "\(fault), after it"
                )
            }
            #expect(await harm(to: FaultWitness(server, over: .udp)) == .none)
            let left = try await openDescriptors(of: server) { $0 <= descriptors }
            #expect(left <= descriptors)
            await server.stop()
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
