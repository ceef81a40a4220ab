import CFFmpeg
import Media

/// The encoder's output for one frame: NAL units without start codes.
struct EncodedFrame {
    /// The index of the input frame.
    let index: Int64
    /// The average quantizer, 0 (finest) to 51 (coarsest); `nil` if the encoder does not report it.
    let quantizer: Int?
    let bytes: [UInt8]
    let units: [Range<Int>]

    init(index: Int64, quantizer: Int? = nil, units: [[UInt8]]) {
        self.index = index
        self.quantizer = quantizer
        var (bytes, ranges): ([UInt8], [Range<Int>]) = ([], [])
        bytes.reserveCapacity(units.reduce(0) { $0 + $1.count })
        for unit in units {
            ranges.append(bytes.count..<bytes.count + unit.count)
            bytes += unit
        }
        (self.bytes, self.units) = (bytes, ranges)
    }

    /// `nil` if the packet has no NAL unit.
    init?(_ packet: UnsafeMutablePointer<AVPacket>) {
        var splitter = H264.AnnexBSplitter()
        splitter.push(UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)).bytes)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(packet.pointee.size))
        var units: [Range<Int>] = []
        while let unit = splitter.next() ?? splitter.flush() {
            units.append(bytes.count..<bytes.count + unit.count)
            bytes += unit
        }
        guard !units.isEmpty else { return nil }
        self.bytes = bytes
        self.units = units
        index = packet.pointee.pts
        let quality = apus_packet_quality(packet)
        quantizer = quality >= 0 ? (Int(quality) + Int(FF_QP2LAMBDA) / 2) / Int(FF_QP2LAMBDA) : nil
    }

    /// Whether decoding can start here. The encoder's key flag cannot be used because it also marks recovery points.
    var isInstantaneousRefresh: Bool { types.contains(.idrSlice) }

    /// Whether it contains picture data.
    var hasSlices: Bool { types.contains { $0.isVideoCodingLayer } }

    /// The in-band parameter sets; `nil` unless both kinds are present.
    var parameterSets: H264.ParameterSets? {
        H264.ParameterSets(sequence: all(.sequenceParameterSet), picture: all(.pictureParameterSet))
    }

    /// The same frame; `sets` are inserted at the front if it is an IDR picture without parameter sets.
    func completed(with sets: H264.ParameterSets) -> Self {
        guard isInstantaneousRefresh, !types.contains(.sequenceParameterSet) else { return self }
        let own = zip(units, types).filter { $0.1 != .pictureParameterSet }.map { Array(bytes[$0.0]) }
        return Self(index: index, quantizer: quantizer, units: sets.sequence + sets.picture + own)
    }

    private var types: [H264.NALUnitType] { units.map { H264.NALUnitType(rawValue: bytes[$0.lowerBound]) } }

    private func all(_ type: H264.NALUnitType) -> [[UInt8]] {
        zip(units, types).filter { $0.1 == type }.map { Array(bytes[$0.0]) }
    }
}
