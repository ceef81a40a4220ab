extension PacketRun {
    /// Writes payloads into a run's memory, one packet after the other.
    ///
    /// The packetizer knows the maximum number of bytes beforehand, so a write outside the memory is a violated
    /// invariant, which no input can cause.
    struct Writer {
        fileprivate(set) var packets: [Packet] = []
        fileprivate(set) var byteCount = 0
        /// Whether the last packet of an access unit gets the marker bit. The payload format defines the meaning of that bit.
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

        /// Appends the bytes that `write` writes, at most `count`.
        mutating func append(byteCount count: Int, _ write: (inout OutputRawSpan) -> Void) {
            precondition(count <= memory.count - byteCount, "a packetizer writes no more than it announced")
            let destination = UnsafeMutableRawBufferPointer(rebasing: memory[byteCount..<(byteCount + count)])
            var output = OutputRawSpan(buffer: destination, initializedCount: 0)
            write(&output)
            byteCount += output.finalize(for: destination)
        }

        /// Makes packets of the bytes since the last packet, each `count` bytes long; only the last may be shorter.
        mutating func endPackets(each count: Int) {
            packets.reserveCapacity(packets.count + (byteCount - packetStart + count - 1) / count)
            while packetStart < byteCount {
                let end = min(packetStart + count, byteCount)
                packets.append(
                    Packet(offset: UInt32(packetStart), byteCount: UInt16(end - packetStart), isMarked: false))
                packetStart = end
            }
        }

        /// Makes one packet of the bytes since the last packet.
        mutating func endPacket() {
            precondition(byteCount > packetStart, "a packet has a payload")
            // A packet has at most 9 000 bytes because of the options, and an access unit in one array never reaches 4 GB.
            packets.append(
                Packet(
                    offset: UInt32(packetStart), byteCount: UInt16(byteCount - packetStart), isMarked: false))
            packetStart = byteCount
        }

        /// Sets the marker bit of the last packet, if there is one.
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
