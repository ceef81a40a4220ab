import TestSupport
import Testing

@testable import Server

struct CrashRecordTests {
    private let folder: TemporaryFolder
    private let record: CrashRecord

    init() throws {
        folder = try TemporaryFolder()
        record = try #require(CrashRecord(["RUNTIME_DIRECTORY": "\(folder.path):/elsewhere"]))
    }

    @Test func pausesAfterCrashesDoubleFromOneSecondToTen() {
        let pauses = (0..<9).map { CrashRecord.pauseSeconds(afterStarts: $0) }
        #expect(pauses == [0, 0, 1, 2, 4, 8, 10, 10, 10])
        #expect(CrashRecord.pauseSeconds(afterStarts: .max) == 10)
    }

    @Test func startsAreCountedUntilTheServerEndsNormally() {
        #expect(record.startCount == 0)
        #expect(record.waitBeforeStart())
        #expect(record.startCount == 1)
        // After one crash there is no pause.
        #expect(record.waitBeforeStart())
        #expect(record.startCount == 2)
        record.endedNormally()
        #expect(record.startCount == 0)
    }

    @Test func aCrashAfterAMinuteCountsAsTheFirst() {
        for _ in 0..<2 { _ = record.waitBeforeStart() }
        record.servedForAMinute()
        #expect(CrashRecord.pauseSeconds(afterStarts: record.startCount) == 0)
        #expect(record.waitBeforeStart())
        #expect(CrashRecord.pauseSeconds(afterStarts: record.startCount) == 1)
    }

    @Test(arguments: [("", 0), ("many", 0), ("-7", 0), ("7\n", 0), ("7", 7), ("99999999999999999999", 1_000)])
    func aFileWithoutANumberCountsAsZero(text: String, count: Int) throws {
        try folder.write(text, to: "starts")
        #expect(record.startCount == count)
    }

    @Test func withoutARuntimeFolderNothingIsCounted() throws {
        #expect(CrashRecord([:]) == nil)
        let gone = try #require(CrashRecord(["RUNTIME_DIRECTORY": folder.file("missing")]))
        #expect(gone.waitBeforeStart() && gone.startCount == 0)
    }
}
