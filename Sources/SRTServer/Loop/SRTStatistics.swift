import CSRT
import Media

/// What libsrt has counted on one connection. Counts are of packets, which are messages in live mode.
public struct SRTStatistics: Hashable, Sendable {
    /// In nanoseconds.
    public let roundTrip: Int64
    /// The rate that libsrt estimates the path to carry, in bits per second; 0 if it is not known.
    public let bandwidth: Int64
    /// The latency in each direction, on which both ends have agreed, in nanoseconds.
    public let sendLatency: Int64
    public let receiveLatency: Int64

    /// With those that were sent again.
    public let sentCount: Int64
    public let sentByteCount: UInt64
    /// That the peer has reported as lost.
    public let sendLostCount: Int64
    public let resentCount: Int64
    /// That were not sent because they were too late.
    public let sendDroppedCount: Int64
    /// What the peer has not acknowledged, in nanoseconds and in bytes.
    public let sendBufferDuration: Int64
    public let sendBufferByteCount: Int

    public let receivedCount: Int64
    public let receivedByteCount: UInt64
    public let receiveLostCount: Int64
    /// Those of the lost ones that have come because they were sent again.
    public let receiveResentCount: Int64
    /// That were missing when they were due.
    public let receiveDroppedCount: Int64
    public let undecryptedCount: Int64
    /// What waits until it is due, in nanoseconds.
    public let receiveBufferDuration: Int64

    init(_ all: apus_srt_statistics) {
        roundTrip = Int64(all.round_trip_milliseconds * 1_000_000)
        bandwidth = Int64(all.bandwidth_megabits * 1_000_000)
        sendLatency = Int64(all.send_latency_milliseconds) * 1_000_000
        receiveLatency = Int64(all.receive_latency_milliseconds) * 1_000_000
        sentCount = all.sent_packets
        sentByteCount = all.sent_bytes
        sendLostCount = Int64(all.send_lost_packets)
        resentCount = Int64(all.resent_packets)
        sendDroppedCount = Int64(all.send_dropped_packets)
        sendBufferDuration = Int64(all.send_buffer_milliseconds) * 1_000_000
        sendBufferByteCount = Int(all.send_buffer_bytes)
        receivedCount = all.received_packets
        receivedByteCount = all.received_bytes
        receiveLostCount = Int64(all.receive_lost_packets)
        receiveResentCount = Int64(all.receive_resent_packets)
        receiveDroppedCount = Int64(all.receive_dropped_packets)
        undecryptedCount = Int64(all.undecrypted_packets)
        receiveBufferDuration = Int64(all.receive_buffer_milliseconds) * 1_000_000
    }
}
