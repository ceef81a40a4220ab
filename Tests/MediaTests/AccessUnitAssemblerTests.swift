import Media
import TestSupport
import Testing

/// All access units of a byte stream.
func assemble(_ bytes: [UInt8]) -> [H264.AccessUnitAssembler.AssembledUnit] {
    var assembler = H264.AccessUnitAssembler()
    var result = referenceSplit(bytes).compactMap { assembler.push($0) }
    if let last = assembler.flush() { result.append(last) }
    return result
}

struct RealStream: Sendable, CustomTestStringConvertible {
    let file: String
    let width: Int
    let height: Int
    let pictures: Int
    var testDescription: String { file }

    init(_ file: String, _ width: Int, _ height: Int, _ pictures: Int) {
        (self.file, self.width, self.height, self.pictures) = ("h264/\(file)", width, height, pictures)
    }

    /// Sizes and picture counts: from ffprobe, unless stated otherwise.
    static let all = [
        RealStream("BA1_FT_C.264", 352, 288, 299), RealStream("BASQP1_Sony_C.jsv", 176, 144, 4),
        RealStream("BA_MW_D_IDR_LOST.264", 176, 144, 97), RealStream("BA_MW_D_P_LOST.264", 176, 144, 99),
        RealStream("CI1_FT_B.264", 352, 288, 291),
        RealStream("Cisco_Men_whisper_640x320_CABAC_Bframe_9.264", 640, 320, 9),
        RealStream("Error_I_P.264", 352, 288, 6), RealStream("LS_SVA_D.264", 176, 144, 1700),
        RealStream("MIDR_MW_D.264", 176, 144, 100), RealStream("MPS_MW_A.264", 176, 144, 150),
        RealStream("MR1_BT_A.h264", 176, 144, 62), RealStream("NRF_MW_E.264", 176, 144, 100),
        RealStream("QCIF_2P_I_allIPCM.264", 176, 144, 2), RealStream("SVA_BA2_D.264", 176, 144, 17),
        RealStream("SVA_CL1_E.264", 176, 144, 50), RealStream("SVA_FM1_E.264", 176, 144, 17),
        RealStream("SVA_NL1_B.264", 176, 144, 17), RealStream("SarVui.264", 176, 144, 17),
        RealStream("Static.264", 152, 100, 10),
        RealStream("VID_1280x720_cabac_temporal_direct.264", 1280, 720, 300),
        RealStream("Zhling_1280x720.264", 1280, 720, 19), RealStream("jm_1080p_allslice.264", 1920, 1080, 1),
        RealStream("test_qcif_cabac.264", 176, 144, 30),
    ]
}

@Suite struct AccessUnitAssemblerTests {
    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"), arguments: RealStream.all)
    func conformanceStreamsHaveAsManyAccessUnitsAsPictures(stream: RealStream) throws {
        let bytes = try #require(SharedData.bytes(stream.file))
        let units = assemble(bytes)
        #expect(units.count { $0.hasPicture } == stream.pictures)
        #expect(units.flatMap(\.units) == referenceSplit(bytes), "no NAL unit is lost, added or moved")
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"), arguments: RealStream.all)
    func conformanceStreamsHaveTheExpectedSize(stream: RealStream) throws {
        let bytes = try #require(SharedData.bytes(stream.file))
        let sets = referenceSplit(bytes).compactMap(H264.SequenceParameterSet.init(parsing:))
        let first = try #require(sets.first)
        #expect(first.width == stream.width && first.height == stream.height)
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"), arguments: SharedData.files(in: "h264"))
    func takingTheUnitsSoFarChangesNoBoundary(file: String) throws {
        let units = referenceSplit(try #require(SharedData.bytes(file)))
        var whole = H264.AccessUnitAssembler()
        var parts = H264.AccessUnitAssembler()
        for unit in units {
            let finished = whole.push(unit)
            let rest = parts.push(unit)
            #expect(rest == nil)
            let taken = parts.takeAssembled()
            guard let taken else { continue }
            if finished != nil { #expect(!taken.isContinuation) }
        }
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"), arguments: SharedData.files(in: "h264"))
    func damagedStreamsNeverTrapAndLoseNoUnit(file: String) throws {
        var random = SplitMix64(seed: 264)
        let original = Array(try #require(SharedData.bytes(file)).prefix(60_000))
        for _ in 0..<6 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            let assembled = assemble(bytes)
            #expect(assembled.flatMap(\.units) == referenceSplit(bytes))
            var order = H264.PresentationOrder()
            var tracker = H264.ParameterSetTracker()
            for unit in assembled {
                unit.units.forEach { _ = tracker.observe($0) }
                guard let slice = unit.slice, let picture = slice.picture,
                    let sequence = tracker.sequenceSet(picture.sequenceID)
                else { continue }
                let fields = order.fields(of: slice, in: sequence)
                #expect((0...64).contains(fields))
                #expect(tracker.completed(unit.units).count >= unit.units.count)
            }
        }
    }
}

@Suite struct ParameterSetTrackerTests {
    private func observe(_ unit: [UInt8], _ tracker: inout H264.ParameterSetTracker) -> Bool {
        tracker.observe(unit)
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func everyKeyframeOfAStreamWithManySetsCarriesAllOfThem() throws {
        let bytes = try #require(SharedData.bytes("h264/MPS_MW_A.264"))
        var tracker = H264.ParameterSetTracker()
        var randomAccessUnits = 0
        for unit in assemble(bytes) {
            unit.units.forEach { _ = tracker.observe($0) }
            guard unit.isIDR else { continue }
            randomAccessUnits += 1
            let completed = tracker.completed(unit.units)
            let sets = try #require(tracker.parameterSets)
            for set in sets.sequence + sets.picture { #expect(completed.contains(set)) }
            #expect(completed.filter { unit.units.contains($0) } == unit.units, "existing units keep their order")
            let types = completed.compactMap { H264.NALUnitHeader(of: $0)?.type }
            let firstSlice = try #require(types.firstIndex(of: .idrSlice))
            #expect(!types[firstSlice...].contains(.pictureParameterSet))
            #expect(tracker.completed(completed) == completed)
        }
        #expect(randomAccessUnits > 0)
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func aRepeatedSetIsNoChangeButAnotherSetWithItsIDIs() throws {
        let units = referenceSplit(try #require(SharedData.bytes("h264/MIDR_MW_D.264")))
        let sequence = try #require(units.first { $0[0] & 0x1F == 7 })
        let picture = try #require(units.first { $0[0] & 0x1F == 8 })
        var tracker = H264.ParameterSetTracker()
        #expect(!observe(sequence, &tracker))
        #expect(observe(picture, &tracker))
        #expect(!observe(picture, &tracker))
        #expect(!observe(sequence, &tracker))
        var other = sequence
        other[3] = 31
        #expect(observe(other, &tracker))
        #expect(tracker.parameterSets?.sequence == [other])
    }

    @Test func setsAreInsertedAfterTheDelimiterAndPictureSetsAfterSequenceSets() throws {
        // 64×64, profile 66, picture order count type 2; ue fields written by hand.
        let sequence: [UInt8] = [0x67, 0x42, 0x00, 0x1E, 0xDA, 0x10, 0x99]
        let picture: [UInt8] = [0x68, 0xCE, 0x38, 0x80]
        try #require(H264.SequenceParameterSet(parsing: sequence) != nil)
        try #require(H264.PictureParameterSet(parsing: picture) != nil)
        var tracker = H264.ParameterSetTracker()
        _ = tracker.observe(sequence)
        _ = tracker.observe(picture)
        let delimiter: [UInt8] = [9, 0xF0]
        let message: [UInt8] = [6, 5, 1, 0x80]
        let slice: [UInt8] = [0x65, 0x88, 0x84]
        #expect(tracker.completed([delimiter, message, slice]) == [delimiter, sequence, picture, message, slice])
        #expect(tracker.completed([sequence, message, slice]) == [sequence, picture, message, slice])
        #expect(tracker.completed([slice]) == [sequence, picture, slice])
        #expect(tracker.completed([picture, slice]) == [sequence, picture, slice])
    }
}

@Suite struct PresentationOrderTests {
    @Test(
        .enabled(if: SharedData.isPresent, "needs ../shared/data"),
        arguments: [
            "h264/VID_1280x720_cabac_temporal_direct.264", "h264/Cisco_Men_whisper_640x320_CABAC_Bframe_9.264",
            "h264/MIDR_MW_D.264", "h264/BA1_FT_C.264",
        ])
    func picturesArePresentedOneByOneAndNeverBeforeDecoding(file: String) throws {
        var order = H264.PresentationOrder()
        var tracker = H264.ParameterSetTracker()
        var shown: [Int] = []
        for (index, unit) in assemble(try #require(SharedData.bytes(file))).enumerated() {
            unit.units.forEach { _ = tracker.observe($0) }
            let slice = try #require(unit.slice)
            let sequence = try #require(tracker.firstSequenceSet)
            shown.append(index * 2 + order.fields(of: slice, in: sequence))
        }
        let first = try #require(shown.min())
        // One time per picture, without gaps. If a stream reorders late, its first few pictures may share a time.
        let instants = Set(shown)
        #expect(instants.count >= shown.count - 2)
        #expect(instants.max() ?? 0 <= first + shown.count * 2 + 4)
    }
}
