import RTMP
import Testing

@Suite struct AMF0Tests {
    private static let values: [AMF0.Value] = [
        .number(3.5), .number(-.infinity), .boolean(true), .string(""), .string("äöü"), .null, .undefined,
        .string(String(repeating: "x", count: 70_000)), .date(1_700_000_000_000),
        .object(["app": .string("live"), "": .number(1), "nested": .object(["a": .strictArray([.null, .number(2)])])]),
        .ecmaArray(["width": .number(640)]), .strictArray([]), .object([:]),
    ]

    private func read(_ bytes: [UInt8], limits: AMF0.Reader.Limits = .init()) -> Result<[AMF0.Value], RTMPError> {
        do throws(RTMPError) {
            var reader = AMF0.Reader(bytes.rawSpan, limits: limits)
            return .success(try reader.values())
        } catch {
            return .failure(error)
        }
    }

    @Test func valuesAreReadAsTheyWereWritten() {
        #expect(read(AMF0.bytes(of: Self.values)) == .success(Self.values))
        for value in Self.values { #expect(read(AMF0.bytes(of: [value])) == .success([value])) }
    }

    @Test func aValueThatIsCutIsTruncated() {
        for value in Self.values where value != .string(String(repeating: "x", count: 70_000)) {
            let bytes = AMF0.bytes(of: [value])
            for length in 1..<bytes.count {
                #expect(read(Array(bytes[..<length])) == .failure(.truncatedData), "\(value), \(length) bytes")
            }
        }
    }

    @Test func depthAndNumberOfValuesAreLimited() {
        var deep = AMF0.Value.null
        for _ in 0..<9 { deep = .strictArray([deep]) }
        #expect(read(AMF0.bytes(of: [deep])) == .failure(.dataTooDeep(limit: 8)))
        let many = AMF0.Value.strictArray([AMF0.Value](repeating: .null, count: 1024))
        #expect(read(AMF0.bytes(of: [many])) == .failure(.tooManyValues(limit: 1024)))
        // An array that announces 2³² values has none.
        #expect(read([0x0A, 0xFF, 0xFF, 0xFF, 0xFF]) == .failure(.truncatedData))
        #expect(read([0x11]) == .failure(.unsupportedDataType(0x11)))
        #expect(read([0x07, 0, 0]) == .failure(.unsupportedDataType(0x07)))
    }

    @Test func aTypedObjectIsAnObjectAndALongCountIsOnlyAHint() {
        let typed: [UInt8] = [0x10, 0, 1, 0x43, 0, 1, 0x61, 5, 0, 0, 9]
        #expect(read(typed) == .success([.object(["a": .null])]))
        let array: [UInt8] = [0x08, 0, 0, 0, 9, 0, 1, 0x61, 5, 0, 0, 9]
        #expect(read(array) == .success([.ecmaArray(["a": .null])]))
    }
}
