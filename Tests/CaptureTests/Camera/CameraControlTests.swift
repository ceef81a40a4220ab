import Testing

@testable import Capture

@Suite struct CameraControlTests {
    private static func control(_ kind: CameraControl.Kind, isReadOnly: Bool = false) -> CameraControl {
        CameraControl(
            id: 1, title: "Power Line Frequency", kind: kind, range: -10...100, step: 1, defaultValue: 0, value: 0,
            isReadOnly: isReadOnly)
    }

    private static let menu = CameraControl.Kind.menu([0: "Disabled", 1: "50 Hz", 2: "60 Hz"])

    @Test(arguments: [
        ("Power Line Frequency", "power_line_frequency"), ("White Balance, Automatic", "white_balance_automatic"),
        ("Exposure (Absolute)", "exposure_absolute"), ("brightness", "brightness"), ("", ""),
    ])
    func controlNamesMatchV4l2Ctl(title: String, name: String) {
        #expect(CameraControl.name(of: title) == name)
    }

    @Test func valuesAreParsedAccordingToTheControlsKind() throws {
        #expect(try Self.control(.integer).value(of: "-10") == -10)
        #expect(try Self.control(.boolean).value(of: "On") == 1)
        #expect(try Self.control(Self.menu).value(of: "50 hz") == 1)
        #expect(try Self.control(Self.menu).value(of: "2") == 2)
        #expect(try Self.control(.button).value(of: "true") == 1)
    }

    @Test(arguments: [
        (CameraControl.Kind.integer, "101", "power_line_frequency expects a whole number from -10 to 100, not 101"),
        (.integer, "high", "power_line_frequency expects a whole number from -10 to 100, not high"),
        (.boolean, "2", "power_line_frequency expects true or false, not 2"),
        (menu, "3", "power_line_frequency expects one of Disabled, 50 Hz, 60 Hz, not 3"),
        (.other, "1", "power_line_frequency has a type that cannot be set"),
    ])
    func anInvalidValueIsRejectedWithTheValidOnes(kind: CameraControl.Kind, text: String, reason: String) {
        let refusal = #expect(throws: CameraControl.InvalidValue.self) { try Self.control(kind).value(of: text) }
        #expect(refusal?.reason == reason)
    }

    @Test func programsGetControlsWithTheKindOfTheirValues() {
        let name = "power_line_frequency"
        #expect(
            AdjustableControl(Self.control(.integer))
                == AdjustableControl(name: name, setting: .integer(-10...100, step: 1, usual: 0, value: 0)))
        #expect(
            AdjustableControl(Self.control(.boolean))
                == AdjustableControl(name: name, setting: .boolean(usual: false, value: false)))
        #expect(
            AdjustableControl(Self.control(Self.menu))
                == AdjustableControl(
                    name: name,
                    setting: .choice(["Disabled", "50 Hz", "60 Hz"], usual: "Disabled", value: "Disabled")))
        for kind in [CameraControl.Kind.button, .other] { #expect(AdjustableControl(Self.control(kind)) == nil) }
        #expect(AdjustableControl(Self.control(.integer, isReadOnly: true)) == nil)
    }

    @Test func aReadOnlyControlCannotBeSet() {
        #expect(throws: CameraControl.InvalidValue(reason: "power_line_frequency is read-only")) {
            try Self.control(.integer, isReadOnly: true).value(of: "1")
        }
    }
}
