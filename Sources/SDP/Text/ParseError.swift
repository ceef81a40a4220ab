extension SessionDescription {
    /// Why a session description is invalid, with the line.
    public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line, counted from 1.
        public let line: Int
        public let reason: Reason

        public enum Reason: Hashable, Sendable {
            /// More bytes than the limit, so that nothing is parsed.
            case tooLong(limit: Int)
            /// More media descriptions than the limit.
            case tooManyMedia(limit: Int)
            /// The first line is not `v=…`, so this is not a session description.
            case missingVersion
            /// A version other than 0.
            case unsupportedVersion
            /// A line that is not a letter, `=` and a value.
            case malformedLine
            /// An `m=` line without kind, port, transport and at least one format.
            case malformedMedia
        }

        public init(line: Int, reason: Reason) {
            self.line = line
            self.reason = reason
        }

        public var description: String {
            let sentence =
                switch reason {
                case .tooLong(let limit): "the session description is longer than \(limit) bytes"
                case .tooManyMedia(let limit): "the session description has more than \(limit) media"
                case .missingVersion: "a session description must start with v=0"
                case .unsupportedVersion: "the version of the session description is not 0"
                case .malformedLine: "the line does not have the form x=value"
                case .malformedMedia: "the m= line lacks a kind, a port, a transport or a format"
                }
            return "SDP line \(line): \(sentence)"
        }
    }
}
