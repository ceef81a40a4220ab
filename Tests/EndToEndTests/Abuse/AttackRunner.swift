import Foundation
import TestSupport
import Testing

/// Attacks on one server, and what it is held to after each.
struct Assault {
    private let target: Target
    /// Before the first attack.
    private let descriptorCount: Int
    private let memory: Int

    /// A few megabytes more are the heap's, not an attacker's: what was allocated in the course of time is not all in one piece.
    /// After a hundred TLS handshakes at once, 44 KB each, 6.3 MB more were in use.
    private static let memoryAllowance = 8_192

    init(on target: Target) {
        self.target = target
        (descriptorCount, memory) = (target.descriptorCount, target.memory)
    }

    /// The brief ones after each other, then all that wait at the same time.
    func round(of attacks: [Attack]) async {
        for attack in attacks where attack.length == .brief {
            let seen = target.records.map(\.packetCount)
            report(await outcome(of: attack), attack.name)
            await expectNoHarm(since: seen, attack.name)
        }
        let patient = attacks.filter { $0.length == .patient }
        guard !patient.isEmpty else { return }
        let seen = target.records.map(\.packetCount)
        await withTaskGroup(of: (String, Result<Void, any Error>).self) { group in
            for attack in patient { group.addTask { (attack.name, await outcome(of: attack)) } }
            for await (name, outcome) in group { report(outcome, name) }
        }
        await expectNoHarm(since: seen, "those who wait")
    }

    private func report(_ outcome: Result<Void, any Error>, _ name: String) {
        if case .failure(let failure) = outcome { Issue.record("\(target.setting): \(name): \(failure)") }
    }

    private func outcome(of attack: Attack) async -> Result<Void, any Error> {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [target] in
                continuation.resume(returning: Result { try attack.act(target) })
            }
        }
    }

    /// Sanitizers take memory of their own: for what has been given back, to find who uses it still, or for who has used what.
    private var hasGivenMemoryBack: Bool {
        Sanitizer.current != nil || target.memory <= memory + Self.memoryAllowance
    }

    /// The two go on watching and have missed nothing, and all that the attacker took is given back.
    private func expectNoHarm(since seen: [Int], _ name: String) async {
        #expect(target.server.command.isRunning, "\(target.setting): \(name): \(target.server.log.suffix(2_000))")
        let goesOn = await eventually(within: 5) { zip(target.records, seen).allSatisfy { $0.packetCount > $1 } }
        #expect(goesOn, "\(target.setting): \(name): a viewer sees nothing any more")
        #expect(target.takeComplaints() == [], "\(target.setting): \(name)")
        let isGivenBack = await eventually(within: 8) {
            target.descriptorCount <= descriptorCount && hasGivenMemoryBack
        }
        #expect(
            isGivenBack,
            """
            \(target.setting): \(name): \(target.descriptorCount) descriptors, \(descriptorCount) before; \
            \(target.memory) KB, \(memory) before
            """)
    }
}
