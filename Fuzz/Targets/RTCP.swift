import RTP
import Wire

/// What was read is written so that it reads the same; a header that is read lies inside its packet.
@Sendable func fuzzRTCP(_ input: [UInt8]) {
    if let (_, payload) = Header.parse(input.rawSpan) {
        law(payload.lowerBound >= 12 && payload.upperBound <= input.count, "a payload lies inside its packet")
    }
    let compound: Compound
    do throws(Compound.Damage) {
        compound = try Compound(parsing: input.rawSpan)
    } catch {
        return
    }
    let written = compound.encoded()
    law(written.count % 4 == 0, "packets are whole words")
    do throws(Compound.Damage) {
        let again = try Compound(parsing: written.rawSpan)
        law(again == compound, "a compound reads the same when written")
    } catch {
        law(false, "a compound that is written can be read: \(error)")
    }
}
