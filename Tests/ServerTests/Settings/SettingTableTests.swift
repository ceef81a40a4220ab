import Capture
import Foundation
import Testing

@testable import Server

/// The table of settings: the options of a path that may be changed over HTTP.
struct SettingTableTests {
    @Test func theTableHasExactlyTheseOptions() {
        #expect(
            Configuration.Path.settings.map(\.key) == [
                "title", "video.width", "video.height", "video.frameRate", "video.bitrate", "video.gopMilliseconds",
                "camera.controls", "effects.privacyMasks", "effects.rotate", "effects.mirror", "effects.blur",
                "effects.overlay", "effects.overlayCorner", "effects.overlaySize",
            ])
    }

    @Test func noSettingRestartsTheSourceOrTheServer() {
        for setting in Configuration.Path.settings {
            #expect([.encoding, .newViewers].contains(setting.effect), "\(setting.key)")
        }
    }

    @Test func theReferenceFileSaysWhichOptionsCanBeChangedOverHTTP() {
        let lines = Configuration.reference.split(separator: "\n", omittingEmptySubsequences: false)
        let paragraphs = lines.map { $0.drop { $0 == " " || $0 == "#" } }.split(separator: "")
        let keys = paragraphs.filter { $0.contains("It can also be changed over HTTP.") }.compactMap { lines in
            lines.last?.split(separator: ":").first.map(String.init)
        }
        #expect(keys == Configuration.Path.settings.compactMap { $0.key.split(separator: ".").last.map(String.init) })
    }

    @Test func eachSettingHasItsValueOfEveryPathInOneForm() throws {
        let path = try #require(
            Configuration(
                yaml: """
                    paths:
                      cam:
                        source: /dev/video77
                        title: "The \\"yard\\""
                        video: { width: 640, height: 360, fps: 15, bitrate: 1.5M, gopMilliseconds: 500 }
                        camera: { controls: { gain: 3 } }
                        effects:
                          privacyMasks: [[5.0%, 0%, 12.50%, 100%], [64, 0, 160, 72]]
                          rotate: 90
                          mirror: yes
                          blur: 7
                          overlay: both
                          overlayCorner: bottomRight
                          overlaySize: 9
                    """, file: "apus.yml"
            ).paths["cam"])
        let expected: [SettingValue] = [
            .text("The \"yard\""), .number(640), .number(360), .number(15), .number(1_500_000), .number(500),
            .map(["gain": .text("3")]),
            .list([
                .list([.text("5%"), .text("0%"), .text("12.5%"), .text("100%")]),
                .list([.number(64), .number(0), .number(160), .number(72)]),
            ]), .text("90"), .flag(true), .number(7), .text("both"), .text("bottomRight"), .number(9),
        ]
        #expect(Configuration.Path.settings.map { $0.value(path) } == expected)
        // Set one by one in another path, they make the same.
        var (other, reading) = (Configuration.Path(), Reading())
        for setting in Configuration.Path.settings { setting.set(setting.value(path), in: &other, noting: &reading) }
        other.source = path.source
        #expect(reading.problems.isEmpty && other == path)
        for setting in Configuration.Path.settings {
            var copy = Configuration.Path()
            setting.copy(path, &copy)
            #expect(setting.value(copy) == setting.value(path), "\(setting.key)")
            #expect(setting.normal(setting.value(path)) == setting.value(path), "\(setting.key)")
        }
    }

    @Test(arguments: [
        ("video.bitrate", SettingValue.text("4000000")), ("video.bitrate", .flag(true)), ("video.bitrate", .list([])),
        ("video.bitrate", .number(9_999)), ("effects.mirror", .number(1)), ("effects.mirror", .text("true")),
        ("title", .number(7)), ("title", .text("two\nlines")), ("title", .text(String(repeating: "a", count: 201))),
        ("effects.rotate", .number(90)), ("effects.rotate", .text("45")), ("effects.overlay", .text("date")),
        ("effects.privacyMasks", .text("all")), ("effects.privacyMasks", .list([.number(1)])),
        ("effects.privacyMasks", .list([.list([.number(0), .number(0), .number(0), .number(9)])])),
        ("effects.privacyMasks", .list([.list([.text("5%"), .number(0), .number(4), .number(9)])])),
        ("effects.privacyMasks", .list([SettingValue](repeating: .list([]), count: 33))),
        ("camera.controls", .text("gain: 3")), ("camera.controls", .map(["gain": .map([:])])),
        ("camera.controls", .map(["gain": .list([])])), ("camera.controls", .map(["a\nb": .number(1)])),
    ])
    func aValueOfAnotherTypeOrOutOfBoundsIsRefused(_ key: String, _ value: SettingValue) throws {
        let setting = try #require(Configuration.Path.settingTable[key])
        var (path, reading) = (Configuration.Path(), Reading())
        setting.set(value, in: &path, noting: &reading)
        #expect(reading.problems.count == 1 && reading.problems.first?.option.hasPrefix(key) == true)
    }

    @Test func valuesOfCameraControlsAreNumbersFlagsAndTexts() throws {
        let setting = try #require(Configuration.Path.settingTable["camera.controls"])
        var (path, reading) = (Configuration.Path(), Reading())
        let value = SettingValue.map(["gain": .number(5), "auto_exposure": .flag(false), "frequency": .text("50 Hz")])
        setting.set(value, in: &path, noting: &reading)
        #expect(reading.problems.isEmpty)
        #expect(path.camera.controls == ["gain": "5", "auto_exposure": "false", "frequency": "50 Hz"])
    }

    /// As docs/http-websocket.md shows them.
    @Test func theControlsOfAnOpenCameraAreListedWithTheirValues() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func json(_ setting: AdjustableControl.Setting) throws -> String {
            String(decoding: try encoder.encode(AdjustableControl(name: "c", setting: setting)), as: UTF8.self)
        }
        #expect(
            try json(.integer(0...255, step: 1, usual: 128, value: 140))
                == #"{"maximum":255,"minimum":0,"name":"c","step":1,"type":"integer","usual":128,"value":140}"#)
        #expect(
            try json(.choice(["Disabled", "50 Hz"], usual: "50 Hz", value: "Disabled"))
                == #"{"choices":["Disabled","50 Hz"],"name":"c","type":"choice","usual":"50 Hz","value":"Disabled"}"#)
        #expect(
            try json(.boolean(usual: true, value: false))
                == #"{"name":"c","type":"boolean","usual":true,"value":false}"#)
    }

    @Test func aMapDoesNotGrowWithoutBound() throws {
        let setting = try #require(Configuration.Path.settingTable["camera.controls"])
        var (path, reading) = (Configuration.Path(), Reading())
        for index in 0..<64 { setting.set(.map(["c\(index)": .number(1)]), in: &path, noting: &reading) }
        #expect(reading.problems.isEmpty && path.camera.controls.count == 64)
        setting.set(.map(["one more": .number(1)]), in: &path, noting: &reading)
        #expect(reading.problems.map(\.message) == ["has more than 64 names"])
    }

    @Test func valuesAreTheSameInJSON() throws {
        let values: [SettingValue] = [
            .number(-1), .flag(true), .text("1"), .list([.list([.text("5%"), .number(1)])]), .map(["a": .flag(false)]),
        ]
        for value in values {
            let json = try JSONEncoder().encode([value])
            #expect(try JSONDecoder().decode([SettingValue].self, from: json) == [value])
        }
        for text in ["[null]", "[1.5]", "[1e99]", "[{\"a\":null}]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([SettingValue].self, from: Data(text.utf8))
            }
        }
    }
}
