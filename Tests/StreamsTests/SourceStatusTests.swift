import Streams
import Testing

struct SourceStatusTests {
    @Test func theAverageCoversOnlyFramesWithAKnownQuantizer() {
        var status = SourceStatus()
        #expect(status.averageQuantizer == nil)
        status.pictureCount = 10
        (status.quantizerTotal, status.quantizedCount) = (90, 4)
        #expect(status.averageQuantizer == 22.5)
    }

    @Test func statusesCanBeAddedAndSubtracted() {
        var one = SourceStatus()
        (one.pictureCount, one.skippedCount, one.quantizerTotal, one.quantizedCount) = (1, 2, 3, 4)
        var other = SourceStatus()
        (other.pictureCount, other.skippedCount, other.quantizerTotal, other.quantizedCount) = (10, 20, 30, 40)
        #expect((one + other).quantizerTotal == 33)
        #expect((one + other) - other == one)
    }
}
