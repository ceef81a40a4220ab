import Capture

/// A setting of a path as programs see it: an option that may be changed over HTTP.
public struct PathSetting: Hashable, Sendable {
    /// `video.bitrate`.
    public let key: String
    public let value: SettingValue
    /// Where the value comes from.
    public let origin: SettingOrigin
    /// What it would be without the changes over HTTP and of `apus set`.
    public let configured: SettingValue
    public let type: SettingType
    /// Why a user would change it, in full sentences.
    public let reason: String
    /// When a change takes effect, in a full sentence.
    public let effect: String
    /// Of `camera.controls`: the controls of the camera; `nil` while it is not open, and for other settings.
    public let controls: [AdjustableControl]?
}

// MARK: - JSON

extension PathSetting: Encodable {
    private enum Key: String, CodingKey {
        case key, value, origin, configured, type, minimum, maximum, unit, maximumBytes, choices, maximumCount, reason
        case effect, controls
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(key, forKey: .key)
        try container.encode(value, forKey: .value)
        try container.encode(origin, forKey: .origin)
        try container.encode(configured, forKey: .configured)
        try container.encode(reason, forKey: .reason)
        try container.encode(effect, forKey: .effect)
        try container.encodeIfPresent(controls, forKey: .controls)
        switch type {
        case .integer(let range, let unit):
            try container.encode("integer", forKey: .type)
            try container.encode(range.lowerBound, forKey: .minimum)
            try container.encode(range.upperBound, forKey: .maximum)
            if !unit.isEmpty { try container.encode(unit, forKey: .unit) }
        case .flag: try container.encode("boolean", forKey: .type)
        case .text(let count):
            try container.encode("text", forKey: .type)
            try container.encode(count, forKey: .maximumBytes)
        case .choice(let words):
            try container.encode("choice", forKey: .type)
            try container.encode(words, forKey: .choices)
        case .rectangles(let count):
            try container.encode("rectangles", forKey: .type)
            try container.encode(count, forKey: .maximumCount)
        case .texts(let count):
            try container.encode("map", forKey: .type)
            try container.encode(count, forKey: .maximumCount)
        }
    }
}

extension AdjustableControl: Encodable {
    private enum Key: String, CodingKey {
        case name, type, minimum, maximum, step, choices, usual, value
    }

    /// With the keys of a setting, and values as in the configuration.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        switch setting {
        case .integer(let range, let step, let usual, let value):
            try container.encode("integer", forKey: .type)
            try container.encode(range.lowerBound, forKey: .minimum)
            try container.encode(range.upperBound, forKey: .maximum)
            try container.encode(step, forKey: .step)
            try container.encode(usual, forKey: .usual)
            try container.encode(value, forKey: .value)
        case .boolean(let usual, let value):
            try container.encode("boolean", forKey: .type)
            try container.encode(usual, forKey: .usual)
            try container.encode(value, forKey: .value)
        case .choice(let choices, let usual, let value):
            try container.encode("choice", forKey: .type)
            try container.encode(choices, forKey: .choices)
            try container.encode(usual, forKey: .usual)
            try container.encode(value, forKey: .value)
        }
    }
}
