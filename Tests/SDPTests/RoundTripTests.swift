import SDP
import TestSupport
import Testing

/// A parsed description parses to the same value after writing, and no input causes a trap.
@Suite struct RoundTripTests {
    @Test func allGoldenDescriptionsExist() {
        #expect(GoldenFiles.all.count >= 13)
    }

    @Test(arguments: GoldenFiles.all)
    func goldenDescriptionsParseToTheSameValueAfterWriting(file: String) throws {
        let bytes = try GoldenFiles.bytes(file)
        let description = try SessionDescription(parsing: bytes)
        #expect(!description.media.isEmpty)
        #expect(try SessionDescription(parsing: description.text) == description)
        if file.hasPrefix("ours/") { #expect(Array(description.text.utf8) == bytes) }
    }

    @Test(arguments: GoldenFiles.all)
    func aTruncatedDescriptionIsParsedOrRefused(file: String) throws {
        let bytes = try GoldenFiles.bytes(file)
        for count in bytes.indices { try check(Array(bytes[..<count])) }
    }

    @Test(arguments: GoldenFiles.all)
    func corruptedDescriptionsAreParsedOrRefused(file: String) throws {
        let bytes = try GoldenFiles.bytes(file)
        var random = SplitMix64(seed: 8866)
        var readable = 0
        for _ in 0..<300 {
            if try check(corrupted(bytes, using: &random)) { readable += 1 }
        }
        // Some corruption is harmless. If all descriptions were refused, the property would not be tested.
        #expect(readable > 30)
    }

    @Test func randomBytesAreParsedOrRefused() throws {
        var random = SplitMix64(seed: 1)
        for count in 0..<500 { try check([UInt8]("v=0\n".utf8) + random.bytes(count % 200)) }
    }

    /// Returns whether the bytes could be parsed; if so, checks the property, also for the described tracks.
    @discardableResult
    private func check(_ bytes: [UInt8]) throws -> Bool {
        let description: SessionDescription
        do {
            description = try SessionDescription(parsing: bytes)
        } catch {
            #expect((1...bytes.count + 1).contains(error.line))
            return false
        }
        let again = try SessionDescription(parsing: description.text)
        #expect(again == description)
        #expect(again.media.map(\.describedTrack) == description.media.map(\.describedTrack))
        return true
    }

    private func corrupted(_ bytes: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(contentsOf: [UInt8]("=:/; \r\n-9".utf8).shuffled(using: &random), at: index)
            default: bytes.removeSubrange(index..<min(index + 20, bytes.count))
            }
        }
        return bytes
    }
}
