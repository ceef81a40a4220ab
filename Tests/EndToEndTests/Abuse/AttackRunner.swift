import Foundation
import TestSupport
import Testing

/// Runs attacks on one server and checks the server after each.
struct AttackRunner {
    private let target: Target
    /// The values before the first attack.
    private let descriptorCount: Int
    private let memory: Int

    /// The allowed growth in KB, because a fragmented heap keeps some megabytes: up to 11.3 MB of the 44 KB that each of 256
    /// concurrent TLS connections needs. At most 11.1 MB were measured if each attack runs once, and 14.5 in two minutes of repetitions.
    private static let memoryAllowance = 16_384

    init(on target: Target) {
        self.target = target
        (descriptorCount, memory) = (target.descriptorCount, target.memory)
    }

    /// Runs the brief attacks one after the other, then all patient ones concurrently.
    func round(of attacks: [Attack]) async {
        for attack in attacks where attack.length == .brief {
            let seen = target.records.map(\.packetCount)
            report(await outcome(of: attack), attack.name)
            await expectNoEffect(since: seen, attack.name)
        }
        let patient = attacks.filter { $0.length == .patient }
        guard !patient.isEmpty else { return }
        let seen = target.records.map(\.packetCount)
        await withTaskGroup(of: (String, Result<Void, any Error>).self) { group in
            for attack in patient { group.addTask { (attack.name, await outcome(of: attack)) } }
            for await (name, outcome) in group { report(outcome, name) }
        }
        await expectNoEffect(since: seen, "the slow attacks")
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

    /// Sanitizers use additional memory: for released blocks and for the history of accesses.
    private var isMemoryReleased: Bool {
        Sanitizer.current != nil || target.memory <= memory + Self.memoryAllowance
    }

    /// Expects that the two viewers still receive everything and that the attacker's memory and descriptors are released.
    private func expectNoEffect(since seen: [Int], _ name: String) async {
        #expect(target.server.command.isRunning, "\(target.setting): \(name): \(target.server.log.suffix(2_000))")
        let isRunning = await eventually(within: 5) { zip(target.records, seen).allSatisfy { $0.packetCount > $1 } }
        #expect(isRunning, "\(target.setting): \(name): a viewer receives nothing any more")
        #expect(target.takeProblems() == [], "\(target.setting): \(name)")
        let isReleased = await eventually(within: 8) {
            target.descriptorCount <= descriptorCount && isMemoryReleased
        }
        #expect(
            isReleased,
            """
            \(target.setting): \(name): \(target.descriptorCount) descriptors, \(descriptorCount) before; \
            \(target.memory) KB, \(memory) before
            """)
    }
}
