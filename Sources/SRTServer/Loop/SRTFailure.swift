import CSRT

/// Why a call of libsrt has failed, or why libsrt cannot be used.
public struct SRTFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(description: String) {
        self.description = description
    }

    /// What libsrt says about the failure of the thread's last call.
    static func last(of call: String) -> Self {
        Self(description: "\(call): \(apus_srt_failure().map { String(cString: $0) } ?? "unknown")")
    }
}
