extension AccessUnit {
    /// Makes an access unit, or a part of one, from its NAL units, which must not be empty.
    public init(
        track: TrackID, presentationTime: MediaTime, decodeTime: MediaTime, isKeyframe: Bool,
        part: Part = .whole, nalUnits: [[UInt8]]
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(nalUnits.reduce(0) { $0 + $1.count })
        let ranges = nalUnits.map { unit in
            bytes.append(contentsOf: unit)
            return bytes.count - unit.count..<bytes.count
        }
        self.init(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime,
            isKeyframe: isKeyframe, part: part, bytes: bytes, units: ranges)
    }
}
