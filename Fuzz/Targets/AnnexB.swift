import Fuzzing
import Media
import Wire

/// However a byte stream is split, its NAL units are the same, and none contains a start code. Their access units contain all
/// units in order, even if an incomplete frame is taken early.
@Sendable func fuzzAnnexB(_ input: [UInt8]) {
    var script = Script(input)
    let seed = script.byte()
    let bytes = script.rest()
    let units = nalUnits(in: [bytes])
    require(units == nalUnits(in: pieces(of: bytes, seed: seed)), "any split gives the same NAL units")
    for unit in units {
        require(!unit.isEmpty && unit.last != 0, "a NAL unit is not empty and does not end in zero")
        require(!holdsStartCode(unit), "a NAL unit contains no start code")
    }
    require(
        nalUnits(in: [units.flatMap { [0, 0, 0, 1] + $0 }]) == units, "NAL units after start codes are found again")
    require(assembled(units) == assembled(units, takingEarlyBy: seed), "taking a frame early does not change it")
    require(assembled(units).units == units, "all NAL units are returned in order")
}

private func nalUnits(in pieces: [[UInt8]]) -> [[UInt8]] {
    var splitter = H264.AnnexBSplitter()
    var units: [[UInt8]] = []
    for piece in pieces {
        splitter.push(piece.rawSpan)
        while let unit = splitter.next() { units.append(unit) }
    }
    if let unit = splitter.flush() { units.append(unit) }
    return units
}

func holdsStartCode(_ unit: [UInt8]) -> Bool {
    unit.indices.dropLast(2).contains { unit[$0] == 0 && unit[$0 + 1] == 0 && unit[$0 + 2] == 1 }
}

private struct Assembly: Equatable {
    var units: [[UInt8]] = []
    var pictureCount = 0
    /// The count for each frame.
    var sliceCounts: [Int] = []
}

/// Returns the output of an assembler. If there is a seed, its low bits select the units after which the incomplete frame is
/// taken.
private func assembled(_ units: [[UInt8]], takingEarlyBy seed: UInt8 = 0) -> Assembly {
    var assembler = H264.AccessUnitAssembler()
    var assembly = Assembly()
    for (index, unit) in units.enumerated() {
        note(assembler.push(unit), of: assembler, in: &assembly)
        let openSliceCount = assembler.openSliceCount
        guard seed >> UInt8(index % 8) & 1 == 1, let taken = assembler.takeAssembled() else { continue }
        assembly.units += taken.units
        require(assembler.openSliceCount == openSliceCount, "a frame stays open after its slices are taken")
    }
    note(assembler.flush(), of: assembler, in: &assembly)
    return assembly
}

private func note(
    _ gathered: H264.AccessUnitAssembler.AssembledUnit?, of assembler: H264.AccessUnitAssembler,
    in assembly: inout Assembly
) {
    assembly.units += gathered?.units ?? []
    guard assembler.completedPictureCount > assembly.pictureCount else { return }
    assembly.pictureCount = assembler.completedPictureCount
    assembly.sliceCounts.append(assembler.lastPictureSliceCount)
}
