import Fuzzing
import Media
import RTP
import Wire

/// Arbitrary packets yield only whole JPEG frames, with no more data than came, and with no marker inside their data that would begin
/// other headers.
@Sendable func fuzzRTPJPEG(_ input: [UInt8]) {
    var head = Script(input)
    let size = TranscodedFormat.PixelSize(width: Int(head.uint16()), height: Int(head.uint16()))
    var depacketizer = JPEGDepacketizer(describedSize: size)
    var packets = PacketScript(head.rest())
    var (byteCount, dataCount) = (0, 0)
    while let packet = packets.next() {
        byteCount += packet.payload.count
        depacketizer.push(packet.payload.rawSpan, header: packet.header)
        while let unit = depacketizer.next() {
            check(unit)
            require(unit.isComplete, "no frame is incomplete")
            dataCount += checkFrame(unit.bytes, described: size)
            require(dataCount <= byteCount, "no byte is received twice")
        }
    }
}

/// - Returns: the number of bytes of its data.
private func checkFrame(_ bytes: [UInt8], described: TranscodedFormat.PixelSize?) -> Int {
    require(bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2).elementsEqual([0xFF, 0xD9]), "a frame is an image")
    var index = 2
    var markers: [UInt8] = []
    while markers.last != 0xDA {
        require(index + 4 <= bytes.count && bytes[index] == 0xFF, "segments follow each other")
        let (marker, length) = (bytes[index + 1], Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
        require(index + 2 + length <= bytes.count, "a segment lies inside the frame")
        if marker == 0xC0 {
            let height = Int(bytes[index + 5]) << 8 | Int(bytes[index + 6])
            let width = Int(bytes[index + 7]) << 8 | Int(bytes[index + 8])
            let isInHeader =
                width % 8 == 0 && height % 8 == 0 && (8...2_040).contains(width) && (8...2_040).contains(height)
            require(
                isInHeader || TranscodedFormat.PixelSize(width: width, height: height) == described,
                "the size is that of the packets, or the described one")
        }
        markers.append(marker)
        index += 2 + length
    }
    require(markers.count { $0 == 0xC0 } == 1 && markers.count { $0 == 0xC4 } == 4, "a frame has all headers once")
    let data = bytes[index..<(bytes.count - 2)]
    var former: UInt8 = 0
    for byte in data {
        let isAllowed = former != 0xFF || byte == 0 || byte == 0xFF || (0xD0...0xD7).contains(byte)
        require(isAllowed, "no headers are inside the data")
        former = byte
    }
    return data.count
}
