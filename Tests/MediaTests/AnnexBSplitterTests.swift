import Media
import TestSupport
import Testing

/// Splits `bytes`, pushed in pieces of `step` bytes, and flushes.
func split(_ bytes: [UInt8], step: Int) -> [[UInt8]] {
    var splitter = H264.AnnexBSplitter()
    var units: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: step) {
        splitter.push(Array(bytes[start..<Swift.min(start + step, bytes.count)]))
        while let unit = splitter.next() { units.append(unit) }
    }
    if let unit = splitter.flush() { units.append(unit) }
    return units
}

/// The simplest implementation of Annex B: all positions of `00 00 01`, with the zeros before them removed.
func referenceSplit(_ bytes: [UInt8]) -> [[UInt8]] {
    var codes: [Int] = []
    for index in bytes.indices.dropLast(2)
    where bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1 {
        codes.append(index)
    }
    return codes.enumerated().compactMap { order, code in
        var end = order + 1 < codes.count ? codes[order + 1] : bytes.count
        while end > code + 3 && bytes[end - 1] == 0 { end -= 1 }
        return end > code + 3 ? Array(bytes[code + 3..<end]) : nil
    }
}

private func drain(_ splitter: inout H264.AnnexBSplitter) -> [[UInt8]] {
    var units: [[UInt8]] = []
    while let unit = splitter.next() { units.append(unit) }
    return units
}

private func flush(_ splitter: inout H264.AnnexBSplitter) -> [UInt8]? { splitter.flush() }

@Suite struct AnnexBSplitterTests {
    static let sample: [UInt8] =
        [0, 0, 0, 1, 0x67, 1, 2, 3] + [0, 0, 1, 0x68, 9] + [0, 0, 0, 0, 0, 1, 0x65, 0, 0, 3, 1, 0x80]
        + [0, 0, 0, 1] + [0, 0, 1, 0x41, 7, 0, 0]
    static let units: [[UInt8]] = [[0x67, 1, 2, 3], [0x68, 9], [0x65, 0, 0, 3, 1, 0x80], [0x41, 7]]

    @Test(arguments: 1...40)
    func unitsAreEqualForEveryPieceSize(step: Int) {
        #expect(split(Self.sample, step: step) == Self.units)
    }

    @Test func bytesBeforeTheFirstStartCodeAreCountedAndDropped() {
        var splitter = H264.AnnexBSplitter()
        splitter.push([9, 8, 7, 0, 0, 0, 1, 0x67, 5])
        #expect(drain(&splitter).isEmpty)
        #expect(splitter.strayByteCount == 3)
        #expect(splitter.pendingHeader?.type == .sequenceParameterSet)
        #expect(flush(&splitter) == [0x67, 5])
    }

    @Test func theRestOfAPrematurelyEndedUnitIsStray() {
        var splitter = H264.AnnexBSplitter()
        splitter.push([0, 0, 1, 0x41, 5, 6])
        #expect(drain(&splitter).isEmpty)
        #expect(splitter.pendingMayBeComplete)
        #expect(flush(&splitter) == [0x41, 5, 6])
        splitter.push([7, 8, 0, 0, 0, 1, 0x41, 9])
        #expect(drain(&splitter).isEmpty)
        #expect(splitter.strayByteCount == 2)
        #expect(flush(&splitter) == [0x41, 9])
    }

    @Test func aFlushMaySplitAStartCode() {
        var splitter = H264.AnnexBSplitter()
        splitter.push([0, 0, 1, 0x41, 5, 0, 0])
        #expect(drain(&splitter).isEmpty)
        #expect(!splitter.pendingMayBeComplete)
        #expect(flush(&splitter) == [0x41, 5])
        splitter.push([0, 1, 0x41, 6])
        #expect(drain(&splitter).isEmpty)
        #expect(flush(&splitter) == [0x41, 6])
        #expect(splitter.strayByteCount == 0)
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"), arguments: SharedData.files(in: "h264"))
    func conformanceStreamsSplitAsASimpleScanDoes(file: String) throws {
        let bytes = try #require(SharedData.bytes(file))
        let expected = referenceSplit(bytes)
        for step in [7, 100, 4096, 65_536, bytes.count] where bytes.count < 700_000 || step > 7 {
            #expect(split(bytes, step: step) == expected, "in pieces of \(step) bytes")
        }
    }

    @Test func randomBytesKeepNoMemoryAndSplitEquallyForEveryPieceSize() {
        var random = SplitMix64(seed: 6)
        for _ in 0..<300 {
            let bytes = (0..<200).map { _ in [0, 0, 0, 1, 3, 0x65].randomElement(using: &random) ?? 0 } as [UInt8]
            let step = Int.random(in: 1...50, using: &random)
            #expect(split(bytes, step: step) == referenceSplit(bytes))
        }
    }
}

@Suite struct LengthPrefixedTests {
    @Test(arguments: [1, 2, 3, 4])
    func unitsFollowTheirLengthPrefixes(lengthSize: Int) {
        let zeros = [UInt8](repeating: 0, count: lengthSize - 1)
        let bytes = zeros + [2, 0x65, 1] + zeros + [0] + zeros + [1, 0x41]
        let units = H264.LengthPrefixed.units(in: bytes, lengthSize: lengthSize)
        #expect(!units.isDamaged)
        #expect(units.ranges.map { Array(bytes[$0]) } == [[0x65, 1], [0x41]])
    }

    @Test func aTruncatedUnitIsKeptInPart() {
        let units = H264.LengthPrefixed.units(in: [0, 0, 0, 9, 0x65, 1, 2], lengthSize: 4)
        #expect(units.isDamaged)
        #expect(units.ranges == [4..<7])
        #expect(H264.LengthPrefixed.units(in: [0xFF, 0xFF, 0xFF, 0xFF], lengthSize: 4).ranges.isEmpty)
        #expect(H264.LengthPrefixed.units(in: [1, 2], lengthSize: 0).isDamaged)
    }

    @Test func aTruncatedConfigurationRecordIsRejected() throws {
        let sets = try #require(
            H264.ParameterSets(sequence: [[0x67, 0x42, 0, 0x1E, 1]], picture: [[0x68, 0xCE, 1]]))
        let record: [UInt8] =
            [1, 0x42, 0, 0x1E, 0xFF, 0xE1, 0, 5] + sets.sequence[0] + [1, 0, 3] + sets.picture[0]
        let parsed = try #require(H264.DecoderConfigurationRecord(parsing: record + [0xFD, 0xF8]))
        #expect(parsed.parameterSets == sets)
        #expect(parsed.lengthSize == 4)
        for count in 0..<record.count {
            #expect(H264.DecoderConfigurationRecord(parsing: Array(record.prefix(count))) == nil)
        }
    }

    /// 31 sequence and 255 picture parameter sets fit.
    @Test(arguments: [(1, 1), (2, 3), (31, 255), (32, 1), (1, 256)])
    func aWrittenRecordIsRead(sequenceCount: Int, pictureCount: Int) throws {
        let sets = try #require(
            H264.ParameterSets(
                sequence: (0..<sequenceCount).map { [0x67, 0x42, 0, 0x1E, UInt8($0)] },
                picture: (0..<pictureCount).map { [0x68, 0xCE, UInt8(truncatingIfNeeded: $0)] }))
        guard let bytes = sets.decoderConfigurationRecord else {
            #expect(sequenceCount > 31 || pictureCount > 255)
            return
        }
        #expect(sequenceCount <= 31 && pictureCount <= 255)
        let parsed = try #require(H264.DecoderConfigurationRecord(parsing: bytes))
        #expect(parsed.parameterSets == sets && parsed.lengthSize == 4)
        #expect(Array(bytes[1...3]) == [0x42, 0, 0x1E])
    }

    /// The high profiles tell chroma format and bit depths behind the sets.
    @Test func aRecordOfAHighProfileTellsTheChromaFormat() throws {
        let sequence: [UInt8] = [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
        let sets = try #require(H264.ParameterSets(sequence: [sequence], picture: [[0x68, 0xCE]]))
        #expect(sets.decoderConfigurationRecord?.suffix(4) == [0xFD, 0xF8, 0xF8, 0])
        let long = [UInt8](repeating: 0x68, count: 0x1_0000)
        #expect(H264.ParameterSets(sequence: [sequence], picture: [long])?.decoderConfigurationRecord == nil)
    }
}
