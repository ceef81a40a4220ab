import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Attacks on a server with two viewers. Each attack is stopped by its guard; afterwards the viewers have seen no gap, and
    /// the server uses no more descriptors and memory than before.
    ///
    /// `APUS_ABUSE_SECONDS` repeats the attacks in random order; `APUS_ABUSE_ATTACK` and `APUS_ABUSE_SETTING` select those whose
    /// name contains their value.
    @Suite(.serialized, .sharesMachineForLong)
    struct Abuse {
        /// All settings run concurrently because the attacks mostly wait for deadlines.
        @Test func noAttackHasAnEffect() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for setting in Setting.all { group.addTask { try await attack(setting) } }
                try await group.waitForAll()
            }
        }

        @Test func eachAttackHasItsOwnGuardInTheSources() throws {
            #expect(Attack.all.count >= 60)
            #expect(Set(Attack.all.map(\.protection)).count == Attack.all.count)
            #expect(Set(Attack.all.map(\.name)).count == Attack.all.count)
            for attack in Attack.all {
                let file = Checkout.root.appending(path: "Sources/\(attack.protection.file)")
                let source = try String(contentsOf: file, encoding: .utf8)
                #expect(source.contains(attack.protection.text), "\(attack.name): \(attack.protection)")
            }
        }

        @Test func theDocumentationContainsTheTable() throws {
            let page = try String(contentsOf: Checkout.root.appending(path: "docs/abuse.md"), encoding: .utf8)
            #expect(page.contains(AttackTable.text), "docs/abuse.md must contain:\n\(AttackTable.text)")
        }

        private func attack(_ setting: Setting) async throws {
            let environment = ProcessInfo.processInfo.environment
            func isWanted(_ name: String, _ variable: String) -> Bool {
                environment[variable].map { name.contains($0) } ?? true
            }
            let attacks = Attack.all.filter { $0.isFor(setting) && isWanted($0.name, "APUS_ABUSE_ATTACK") }
            guard !attacks.isEmpty, isWanted("\(setting)", "APUS_ABUSE_SETTING") else { return }
            try await Target.withTarget(setting) { target in
                let runner = AttackRunner(on: target)
                guard let seconds = environment["APUS_ABUSE_SECONDS"].flatMap(Double.init) else {
                    return await runner.round(of: attacks)
                }
                let end = ContinuousClock.now + .seconds(seconds)
                while ContinuousClock.now < end { await runner.round(of: attacks.shuffled()) }
            }
        }
    }
}
