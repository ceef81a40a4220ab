import Capture
import Foundation
import Streams
import Testing

@testable import Server

struct DeviceReportTests {
    @Test func aHostWithoutCamerasIsReported() throws {
        let report = DeviceReport(cameras: [], failures: [])
        #expect(report.text.hasPrefix("no camera is connected\n\nno microphone is connected\n"))
        let json = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: [String]]
        #expect(json == ["cameras": [], "encoders": [], "microphones": [], "problems": []])
    }

    @Test func devicesThatCannotBeExaminedAreReportedWithARemedy() {
        let failure = SourceFailure(reason: "no right to open /dev/video0", remedy: "join the group video")
        #expect(
            DeviceReport(cameras: [], failures: [failure]).text
                .hasPrefix("no right to open /dev/video0; join the group video\n"))
    }

    @Test func encodersAreListedInOrderWithTheReasonsOfFailures() {
        let failure = SourceFailure(reason: "Cannot load libcuda.so.1", remedy: "install the driver")
        let report = DeviceReport(
            cameras: [], failures: [],
            encoders: [
                EncoderDescription(name: "h264_nvenc", failure: failure),
                EncoderDescription(name: "libx264", failure: nil),
            ])
        #expect(
            report.text.hasSuffix(
                """
                encoders, in the order in which auto tries them
                  h264_nvenc  does not work: Cannot load libcuda.so.1; install the driver
                  libx264     works

                """))
        #expect(report.json.contains("\"works\" : false"))
    }

    @Test func aCameraIsShownWithTheValuesForTheConfiguration() throws {
        let survey = CameraDescription(
            path: "/dev/video0", card: "Webcam", driver: "uvcvideo", bus: "usb-1", exportsBuffers: true,
            modes: [
                .init(
                    format: "YUYV", size: "640×480", rates: ["30 fps", "15 fps"], isReadable: true, isEmulated: false),
                .init(format: "BA81", size: "1280×720", rates: [], isReadable: false, isEmulated: false),
            ],
            controls: [.init(name: "power_line_frequency", value: "50 Hz", usual: "60 Hz", choices: "50 Hz, 60 Hz")])
        let report = DeviceReport(cameras: [survey], failures: [])
        #expect(
            report.text.hasPrefix(
                """
                /dev/video0  Webcam (uvcvideo, usb-1)
                  exports its buffers as DMABUF: yes
                  format  size      rates
                  YUYV    640×480   30 fps, 15 fps
                  BA81    1280×720                  not read by Apus

                  control               value  takes
                  power_line_frequency  50 Hz  50 Hz, 60 Hz

                """))
        #expect(report.json.contains("\"source\" : \"/dev/video0\""))
    }
}
