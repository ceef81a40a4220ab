import CAllocations
import Media
import TestSupport
import Testing

@testable import MP4

/// A fragment's memory is its only allocation, whatever is in it.
@Suite(
    .serialized, .enabled(if: allocations_are_counted() != 0, "a sanitizer owns malloc"),
    .enabled(if: !_isDebugAssertConfiguration(), "holds in optimised builds"))
struct AllocationTests {
    /// The fewest allocations of packaging one unit with these NAL units.
    private func allocations(of nalUnits: [[UInt8]]) -> UInt64 {
        var packager = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .inBand)
        var fewest = UInt64.max
        for number in 0..<50 as Range<Int64> {
            let unit = Broadcast.videoUnit(nalUnits, at: number * 3_000)
            let before = allocations_of_this_thread()
            let fragment = packager.package(unit)
            fewest = min(fewest, allocations_of_this_thread() - before)
            #expect(fragment != nil)
        }
        return fewest
    }

    @Test func aFragmentOfAnySizeIsOneAllocation() {
        #expect(allocations(of: [[0x41, 1]]) == 1)
        let slices = (0..<40).map { Broadcast.nalUnit(1, 2_000, seed: $0) }
        #expect(allocations(of: slices) == 1)
    }

    @Test func theBoxesOfAClientNeedNoMemoryBesideTheirs() throws {
        var packager = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .inBand)
        let unit = Broadcast.videoUnit([[0x41, 1]], at: 0)
        let fragment = try #require(packager.fragments(of: [unit]).first)
        var timeline = ClientTimeline()
        var fewest = UInt64.max
        for _ in 0..<50 {
            let before = allocations_of_this_thread()
            guard let fields = timeline.fields(for: fragment) else { continue }
            let boxes = [UInt8](byteCount: fragment.boxesByteCount) {
                fragment.writeBoxes(with: fields, includesCaptureTime: true, to: &$0)
            }
            fewest = min(fewest, allocations_of_this_thread() - before)
            #expect(boxes.count == fragment.boxesByteCount)
        }
        #expect(fewest == 1)
    }
}
