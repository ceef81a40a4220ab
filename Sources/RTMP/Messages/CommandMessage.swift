import Wire

/// A command or an answer: a name, the number by which the answer names the command, and values (Adobe's RTMP specification, section
/// 7.1.1).
public struct CommandMessage: Hashable, Sendable {
    public let name: String
    /// 0 if the sender needs no answer.
    public let transaction: Double
    /// The command object, which is `.null` except for `connect` and its answer.
    public let object: AMF0.Value
    public let arguments: [AMF0.Value]

    public init(_ name: String, transaction: Double, object: AMF0.Value = .null, _ arguments: AMF0.Value...) {
        self.name = name
        self.transaction = transaction
        self.object = object
        self.arguments = arguments
    }

    /// Reads a message of the types `.commandAMF0` and `.commandAMF3`.
    public init(_ message: Message) throws(RTMPError) {
        let values = try message.values()
        guard let name = values.first?.string else { throw .malformedCommand("without a name") }
        self.name = name
        // Some clients leave out what they do not use.
        transaction = values.dropFirst().first?.number ?? 0
        object = values.dropFirst(2).first ?? .null
        arguments = Array(values.dropFirst(3))
    }

    /// The message on a message stream.
    public func message(streamID: UInt32 = 0) -> Message {
        let values = [.string(name), .number(transaction), object] + arguments
        return Message(.commandAMF0, streamID: streamID, payload: AMF0.bytes(of: values))
    }
}

extension Message {
    /// The AMF0 values of a command or of data. The envelope of AMF3 has one more byte at the beginning, which is skipped.
    func values() throws(RTMPError) -> [AMF0.Value] {
        let start = type.hasEnvelope && payload.first == 0 ? 1 : 0
        var reader = AMF0.Reader(payload.rawSpan.extracting(start..<payload.count))
        return try reader.values()
    }
}
