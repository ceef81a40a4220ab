import Media
import Testing

@testable import RTP

@Suite struct HeaderExtensionLayoutTests {
    @Test func identifiersAndNamesAreUniqueAndFitTheOneByteForm() {
        let all = HeaderExtension.allCases
        #expect(Set(all.map(\.uri)).count == all.count)
        for each in all {
            #expect((1...14).contains(each.identifier) && (1...8).contains(each.valueByteCount))
        }
        #expect(HeaderExtensionLayout.all.extensions == all)
        #expect(HeaderExtensionLayout.all.byteCount <= HeaderRewriter.Headers.maximumByteCount - Header.fixedByteCount)
    }

    @Test func aLayoutWithoutExtensionsAddsNothing() {
        #expect(HeaderExtensionLayout.none.byteCount == 0)
        #expect(HeaderExtensionLayout.none.extensions.isEmpty)
    }

    @Test func theBytesOfABlockAreAnExtensionOfWholeWords() throws {
        var block = HeaderExtensionBlock()
        block.end()
        #expect(block.byteCount == 0)
        block.append(3, 0xAA, valueByteCount: 1)
        block.append(14, 0xBBCC, valueByteCount: 2)
        block.end()
        let bytes = (0..<block.byteCount).map { block.memory[$0] }
        #expect(bytes == [0xBE, 0xDE, 0, 2, 0x30, 0xAA, 0xE1, 0xBB, 0xCC, 0, 0, 0])
    }
}
