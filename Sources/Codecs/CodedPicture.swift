import CFFmpeg
import Media

/// What an encoder's packet carries: NAL units without start codes.
struct CodedPicture {
    let bytes: [UInt8]
    let units: [Range<Int>]

    /// `nil` for a packet without a NAL unit.
    init?(annexB packet: AVPacket) {
        var splitter = H264.AnnexBSplitter()
        splitter.push(UnsafeBufferPointer(start: packet.data, count: Int(packet.size)))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(packet.size))
        var units: [Range<Int>] = []
        while let unit = splitter.next() ?? splitter.flush() {
            units.append(bytes.count..<bytes.count + unit.count)
            bytes += unit
        }
        guard !units.isEmpty else { return nil }
        self.bytes = bytes
        self.units = units
    }

    /// Whether decoding can start here. The encoder's key flag does not say so: it marks recovery points too.
    var isInstantaneousRefresh: Bool { types.contains(.idrSlice) }

    /// The parameter sets in band, if there are both kinds.
    var parameterSets: H264.ParameterSets? {
        H264.ParameterSets(sequence: all(.sequenceParameterSet), picture: all(.pictureParameterSet))
    }

    private var types: [H264.NALUnitType] { units.map { H264.NALUnitType(rawValue: bytes[$0.lowerBound]) } }

    private func all(_ type: H264.NALUnitType) -> [[UInt8]] {
        zip(units, types).filter { $0.1 == type }.map { Array(bytes[$0.0]) }
    }
}
