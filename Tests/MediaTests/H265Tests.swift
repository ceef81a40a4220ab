import Media
import TestSupport
import Testing

@Suite struct H265Tests {
    @Test func aSequenceParameterSetTellsSizeProfileAndReordering() throws {
        let set = try #require(H265.SequenceParameterSet(parsing: H265Samples.sequence))
        #expect(set.id == 0 && set.videoID == 0)
        #expect(set.width == 640 && set.height == 360)
        #expect(set.chromaFormat == 1 && set.bitDepth == 8)
        #expect(set.reorderedPictures == 2)
        #expect(set.profile.profile == 1 && set.profile.level == 63 && !set.profile.isHighTier)
    }

    /// Sets that end early are not parsed, and no prefix traps.
    @Test func truncatedSetsAreRefused() {
        for set in [H265Samples.sequence, H265Samples.picture, H265Samples.video] {
            for count in 0..<set.count { _ = H265.SequenceParameterSet(parsing: Array(set.prefix(count))) }
        }
        #expect(H265.SequenceParameterSet(parsing: Array(H265Samples.sequence.prefix(20))) == nil)
        #expect(H265.PictureParameterSet(parsing: Array(H265Samples.picture.prefix(2))) == nil)
        #expect(H265.ParameterSets(video: [H265Samples.video], sequence: [], picture: [H265Samples.picture]) == nil)
    }

    @Test func keyframesGetTheSetsThatTheyLack() {
        let (video, sequence, picture) = (H265Samples.video, H265Samples.sequence, H265Samples.picture)
        let tracker = H265.ParameterSetTracker(H265Samples.sets)
        #expect(tracker.parameterSets == H265Samples.sets)
        let (idr, delimiter, message): ([UInt8], [UInt8], [UInt8]) = (
            H265Samples.idr, [0x46, 0x01, 0x50], [0x4E, 0x01, 5]
        )
        #expect(tracker.completed([idr]) == [video, sequence, picture, idr])
        #expect(tracker.completed([delimiter, idr]) == [delimiter, video, sequence, picture, idr])
        #expect(tracker.completed([sequence, message, idr]) == [video, sequence, picture, message, idr])
        #expect(tracker.completed([video, picture, idr]) == [video, sequence, picture, idr])
        #expect(tracker.completed([video, sequence, picture, idr]) == [video, sequence, picture, idr])
    }

    @Test func aRecordOfAContainerGivesTheSets() throws {
        let head: [UInt8] = [1] + [UInt8](repeating: 0, count: 20) + [0xF3, 3]
        var arrays: [UInt8] = []
        for (type, unit) in [(32, H265Samples.video), (33, H265Samples.sequence), (34, H265Samples.picture)] {
            arrays += [0x80 | UInt8(type), 0, 1, 0, UInt8(unit.count)] + unit
        }
        let record = try #require(H265.DecoderConfigurationRecord(parsing: head + arrays))
        #expect(record.parameterSets == H265Samples.sets && record.lengthSize == 4)
        for count in 0..<(head.count + arrays.count) {
            #expect(H265.DecoderConfigurationRecord(parsing: Array((head + arrays).prefix(count))) == nil)
        }
    }

    @Test(arguments: [true, false])
    func aWrittenRecordIsRead(isComplete: Bool) throws {
        let bytes = try #require(H265Samples.sets.decoderConfigurationRecord(areComplete: isComplete))
        let record = try #require(H265.DecoderConfigurationRecord(parsing: bytes))
        #expect(record.parameterSets == H265Samples.sets && record.lengthSize == 4)
        // The general profile, tier and level stand behind the version as in the sequence parameter set.
        #expect(Array(bytes[1...12]) == [0x01, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 0x3F])
        #expect(bytes[21] == 0x0F)
        for count in 0..<bytes.count {
            #expect(H265.DecoderConfigurationRecord(parsing: Array(bytes.prefix(count))) == nil)
        }
        let long = try #require(
            H265.ParameterSets(
                video: [H265Samples.video + [UInt8](repeating: 1, count: 0x1_0000)], sequence: [H265Samples.sequence],
                picture: [H265Samples.picture]))
        #expect(long.decoderConfigurationRecord(areComplete: isComplete) == nil)
    }

    @Test func randomAccessPointsAreIDRAndCRAAndBLAPictures() {
        let types = (0...63 as ClosedRange<UInt8>).filter { H265.NALUnitType(rawValue: $0).isRandomAccessPoint }
        #expect(types == [16, 17, 18, 19, 20, 21])
        #expect(H265.NALUnitHeader(of: [0x40]) == nil && H265.NALUnitHeader(of: [0x40, 0]) == nil)
    }
}
