import Media

/// Which of the pictures that Apus codes carry their time of capture as SEI (`CaptureTimestamp`).
public enum CaptureTimeSEI: String, CaseIterable, Hashable, Sendable {
    /// Those that decoding can start at: their timestamp travels in the packet of the parameter sets.
    case keyframes
    /// Every one, for a packet each.
    case all
    case off

    /// Whether `unit` is one of them. Of a picture in parts, the first part is.
    func includes(_ unit: AccessUnit) -> Bool {
        switch self {
        case .keyframes: unit.isKeyframe && unit.part.isStart
        case .all: unit.part.isStart
        case .off: false
        }
    }
}
