import Media

/// Which of the frames that Apus encodes carry their capture time in an SEI message (`CaptureTimestamp`).
public enum CaptureTimeSEI: String, CaseIterable, Hashable, Sendable {
    /// Keyframes only. The message travels in the packet of the parameter sets, so it needs no packet of its own.
    case keyframes
    /// Every frame, at the cost of a packet each.
    case all
    case off

    /// Whether `unit` carries the message. If a frame comes in parts, only its first part does.
    func includes(_ unit: AccessUnit) -> Bool {
        switch self {
        case .keyframes: unit.isKeyframe && unit.part.isStart
        case .all: unit.part.isStart
        case .off: false
        }
    }
}
