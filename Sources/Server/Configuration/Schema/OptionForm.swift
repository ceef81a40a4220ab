/// An option as a value of a type, for programs that change it.
struct OptionForm<Section> {
    let type: SettingType
    let value: (Section) -> SettingValue
    /// Gives the option in the second section the value that it has in the first.
    let copy: (Section, inout Section) -> Void

    init<Value>(
        _ type: SettingType, _ member: WritableKeyPath<Section, Value>, _ setting: @escaping (Value) -> SettingValue
    ) {
        self.type = type
        value = { setting($0[keyPath: member]) }
        copy = { $1[keyPath: member] = $0[keyPath: member] }
    }
}

/// An option with its value, as the configuration contains it, without secrets.
struct OptionValue: Hashable {
    let option: OptionPath
    let text: String
}
