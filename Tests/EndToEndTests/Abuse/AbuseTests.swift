import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Attacks on a server that two viewers watch: each meets its guard, and then the viewers have seen no gap, and the server has
    /// the descriptors and the memory that it had.
    ///
    /// `APUS_ABUSE_SECONDS` has them tried again and again in random order; `APUS_ABUSE_ATTACK` and `APUS_ABUSE_SETTING` keep to
    /// those whose name has that in it.
    @Suite(.serialized, .alone)
    struct Abuse {
        /// All settings at the same time: deadlines are mostly waited for.
        @Test func nothingThatAnAttackerSendsHurts() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for setting in Setting.all { group.addTask { try await attack(setting) } }
                try await group.waitForAll()
            }
        }

        @Test func noTwoAttacksAreOnTheSameGuardWhichIsInTheSources() throws {
            #expect(Attack.all.count >= 60)
            #expect(Set(Attack.all.map(\.obstacle)).count == Attack.all.count)
            #expect(Set(Attack.all.map(\.name)).count == Attack.all.count)
            for attack in Attack.all {
                let source = try String(
                    contentsOf: Self.root.appending(path: "Sources/\(attack.obstacle.file)"), encoding: .utf8)
                #expect(source.contains(attack.obstacle.text), "\(attack.name): \(attack.obstacle)")
            }
        }

        @Test func theDocumentationHasTheTable() throws {
            let page = try String(contentsOf: Self.root.appending(path: "docs/abuse.md"), encoding: .utf8)
            #expect(page.contains(AttackTable.text), "it is to have this:\n\(AttackTable.text)")
        }

        private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()

        private func attack(_ setting: Setting) async throws {
            let environment = ProcessInfo.processInfo.environment
            func isWanted(_ name: String, _ variable: String) -> Bool {
                environment[variable].map { name.contains($0) } ?? true
            }
            let attacks = Attack.all.filter { $0.isFor(setting) && isWanted($0.name, "APUS_ABUSE_ATTACK") }
            guard !attacks.isEmpty, isWanted("\(setting)", "APUS_ABUSE_SETTING") else { return }
            try await Target.withTarget(setting) { target in
                let assault = Assault(on: target)
                guard let seconds = environment["APUS_ABUSE_SECONDS"].flatMap(Double.init) else {
                    return await assault.round(of: attacks)
                }
                let end = ContinuousClock.now + .seconds(seconds)
                while ContinuousClock.now < end { await assault.round(of: attacks.shuffled()) }
            }
        }
    }
}
