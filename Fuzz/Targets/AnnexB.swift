import Media
import Wire

/// However a byte stream is split, its NAL units are the same; none holds a start code; and as access units all come out in their
/// order, also where what is there is taken before a picture's end.
@Sendable func fuzzAnnexB(_ input: [UInt8]) {
    var script = Script(input)
    let seed = script.byte()
    let bytes = script.rest()
    let units = nalUnits(in: [bytes])
    require(units == nalUnits(in: pieces(of: bytes, seed: seed)), "any split gives the same NAL units")
    for unit in units {
        require(!unit.isEmpty && unit.last != 0, "a NAL unit is not empty and does not end in zero")
        require(!holdsStartCode(unit), "a NAL unit holds no start code")
    }
    require(
        nalUnits(in: [units.flatMap { [0, 0, 0, 1] + $0 }]) == units, "NAL units behind start codes come out again")
    require(assembled(units) == assembled(units, takingEarlyBy: seed), "what is taken early changes no picture")
    require(assembled(units).units == units, "all NAL units come out, in their order")
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
    /// Of each picture.
    var sliceCounts: [Int] = []
}

/// What comes out of an assembler; where there is a seed, its low bits say behind which units what there is is taken.
private func assembled(_ units: [[UInt8]], takingEarlyBy seed: UInt8 = 0) -> Assembly {
    var assembler = H264.AccessUnitAssembler()
    var assembly = Assembly()
    for (index, unit) in units.enumerated() {
        note(assembler.push(unit), of: assembler, in: &assembly)
        let openSliceCount = assembler.openSliceCount
        guard seed >> UInt8(index % 8) & 1 == 1, let taken = assembler.takeAssembled() else { continue }
        assembly.units += taken.units
        require(assembler.openSliceCount == openSliceCount, "a picture stays open whose slices are taken")
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
