import Media

extension MeasuredStream {
    /// The table of `--csv`: a row per live frame (docs/measuring.md).
    public var frameTable: String {
        var lines = [Self.columns.joined(separator: ",")]
        lines += frames.map { row($0).joined(separator: ",") }
        return lines.joined(separator: "\n") + "\n"
    }

    static let columns = [
        "index", "frame_number", "rtp_timestamp", "captured_ns", "captured_by", "first_packet_ns", "last_packet_ns",
        "decoded_ns", "encoding_begins_us", "encoding_ends_us", "arrival_ms", "decoded_ms", "late_ms", "packets",
        "bytes", "key", "whole", "repaired_packets",
    ]

    /// The row of a frame. Times are of this host's monotonic clock.
    private func row(_ measured: MeasuredFrame) -> [String] {
        let frame = measured.frame
        let timestamp = measured.capture?.basis == .sei ? frame.captureTimestamp : nil
        return [
            "\(measured.index)", text(timestamp?.frameNumber), "\(frame.timestamp)",
            text(measured.capture?.instant.nanoseconds), measured.capture?.basis.rawValue ?? "",
            "\(frame.firstPacket.nanoseconds)", "\(frame.lastPacket.nanoseconds)", text(frame.decoded?.nanoseconds),
            text(timestamp?.encodingBegins), text(timestamp?.encodingEnds), milliseconds(measured.arrival),
            milliseconds(measured.decoded), milliseconds(measured.lateness), "\(frame.packetCount)",
            "\(frame.packetByteCount)", frame.isKey ? "1" : "0", frame.isWhole ? "1" : "0",
            "\(frame.repairedPacketCount)",
        ]
    }

    private func text(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? "" }

    private func milliseconds(_ nanoseconds: Int64?) -> String {
        nanoseconds.map { ReportTable.number($0.milliseconds, digits: 3) } ?? ""
    }
}
