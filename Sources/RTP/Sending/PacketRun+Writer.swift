extension PacketRun {
    /// Lays payloads into a run's memory, one packet after the other.
    ///
    /// The packetizer knows beforehand how much it will write at most, so a write outside the memory is a broken
    /// invariant, which no input reaches.
    struct Writer {
        fileprivate(set) var packets: [Packet] = []
        fileprivate(set) var byteCount = 0
        /// Whether the last packet of an access unit is marked: what the bit means is the payload format's to say.
        var marksAccessUnits = true
        let memory: UnsafeMutableRawBufferPointer
        private var packetStart = 0

        fileprivate init(memory: UnsafeMutableRawBufferPointer) {
            self.memory = memory
        }

        mutating func append(_ byte: UInt8) {
            precondition(byteCount < memory.count, "a packetizer writes no more than it announced")
            memory[byteCount] = byte
            byteCount += 1
        }

        mutating func append(_ value: UInt16) {
            append(UInt8(value >> 8))
            append(UInt8(truncatingIfNeeded: value))
        }

        mutating func append(_ bytes: RawSpan) {
            precondition(bytes.byteCount <= memory.count - byteCount, "a packetizer writes no more than it announced")
            let destination = UnsafeMutableRawBufferPointer(rebasing: memory[byteCount...])
            bytes.withUnsafeBytes { destination.copyMemory(from: $0) }
            byteCount += bytes.byteCount
        }

        /// Appends what `write` writes, `count` bytes at most.
        mutating func append(byteCount count: Int, _ write: (inout OutputRawSpan) -> Void) {
            precondition(count <= memory.count - byteCount, "a packetizer writes no more than it announced")
            let destination = UnsafeMutableRawBufferPointer(rebasing: memory[byteCount..<(byteCount + count)])
            var output = OutputRawSpan(buffer: destination, initializedCount: 0)
            write(&output)
            byteCount += output.finalize(for: destination)
        }

        /// Makes packets of what was appended since the last packet, all `count` bytes long but the last.
        mutating func endPackets(each count: Int) {
            packets.reserveCapacity(packets.count + (byteCount - packetStart + count - 1) / count)
            while packetStart < byteCount {
                let end = min(packetStart + count, byteCount)
                packets.append(
                    Packet(offset: UInt32(packetStart), byteCount: UInt16(end - packetStart), isMarked: false))
                packetStart = end
            }
        }

        /// Makes one packet of what was appended since the last call.
        mutating func endPacket() {
            precondition(byteCount > packetStart, "a packet has a payload")
            // Options bound a packet to 9 000 bytes; an access unit of 4 GB does not exist in one array's memory here.
            packets.append(
                Packet(
                    offset: UInt32(packetStart), byteCount: UInt16(byteCount - packetStart), isMarked: false))
            packetStart = byteCount
        }

        /// Sets the marker on the packet written last, if there is one.
        mutating func markLast() {
            guard let last = packets.popLast() else { return }
            packets.append(Packet(offset: last.offset, byteCount: last.byteCount, isMarked: true))
        }
    }
}

extension PacketRun.Writer {
    init(capacity: Int) {
        self.init(memory: .allocate(byteCount: capacity, alignment: 16))
    }
}
