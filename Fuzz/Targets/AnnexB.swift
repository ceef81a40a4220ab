import Media
import Wire

/// However a byte stream is split, its NAL units are the same; none holds a start code; put in order, all come out.
@Sendable func fuzzAnnexB(_ input: [UInt8]) {
    var script = Script(input)
    let seed = script.byte()
    let bytes = script.rest()
    let units = nalUnits(in: [bytes])
    law(units == nalUnits(in: pieces(of: bytes, seed: seed)), "any split gives the same NAL units")
    for unit in units {
        law(!unit.isEmpty && unit.last != 0, "a NAL unit is not empty and does not end in zero")
        law(!holdsStartCode(unit), "a NAL unit holds no start code")
    }
    law(nalUnits(in: [units.flatMap { [0, 0, 0, 1] + $0 }]) == units, "NAL units behind start codes come out again")
    checkAssembly(of: units)
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

private func holdsStartCode(_ unit: [UInt8]) -> Bool {
    unit.indices.dropLast(2).contains { unit[$0] == 0 && unit[$0 + 1] == 0 && unit[$0 + 2] == 1 }
}

/// Access units hold NAL units of the stream, in its order.
private func checkAssembly(of units: [[UInt8]]) {
    var assembler = H264.AccessUnitAssembler()
    var gathered: [[UInt8]] = []
    for unit in units {
        if let complete = assembler.push(unit) { gathered += complete.units }
    }
    if let complete = assembler.flush() { gathered += complete.units }
    var remaining = units[...]
    for unit in gathered {
        guard let index = remaining.firstIndex(of: unit) else { return law(false, "NAL units stay in their order") }
        remaining = remaining[(index + 1)...]
    }
}
