import RTSP
import SDP
import TestSupport
import Testing

@testable import RTSPClient

/// Replies of real cameras and recorders, as a server that answers with them.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct RecordedCameraTests {
    /// The files with a device's replies; `nil` for a usual reply.
    struct Device: Sendable, CustomTestStringConvertible {
        let description: String
        var options: String?
        var setUp: String?
        var play: String?
        var unauthorized: String?
        var tearDown: String?
        /// Whether the reply to SETUP is for UDP.
        var usesDatagrams = false

        var testDescription: String { files.joined(separator: ", ") }
        var files: [String] { [description, options, setUp, play, unauthorized, tearDown].compactMap(\.self) }
    }

    private static let devices: [Device] = [
        Device(description: "anjvision_describe"),
        Device(description: "anpviz_sdp"),
        Device(description: "bunny_describe", setUp: "bunny_setup", play: "bunny_play"),
        Device(description: "bunny_describe", setUp: "bunny_setup", play: "bad_rtptime"),
        Device(
            description: "dahua_describe_h264_aac_onvif", options: "dahua_options", setUp: "dahua_setup",
            play: "dahua_play"),
        Device(description: "dahua_describe_h265_pcma", options: "dahua_options", setUp: "dahua_setup"),
        Device(description: "foscam_describe"),
        Device(description: "foscam_describe", play: "laureii_play", unauthorized: "longse_unauthorized"),
        Device(description: "foscam_describe", setUp: "luckfox_rkipc_setup_tcp"),
        Device(description: "foscam_describe", setUp: "luckfox_rkipc_setup_udp", usesDatagrams: true),
        Device(description: "geovision_sdp"),
        Device(description: "gw_main_describe", setUp: "gw_main_setup_video", play: "gw_main_play"),
        Device(description: "gw_sub_describe", setUp: "gw_sub_setup", play: "gw_sub_play"),
        Device(
            description: "h264dvr_describe", setUp: "h264dvr_setup_video", play: "h264dvr_play", usesDatagrams: true),
        Device(
            description: "h264dvr_describe", setUp: "h264dvr_setup_audio", play: "h264dvr_play", usesDatagrams: true),
        Device(description: "hikvision_describe", setUp: "hikvision_setup", play: "hikvision_play"),
        Device(description: "hikvision_describe", setUp: "hikvision_setup_ssrc_space", play: "hikvision_play"),
        Device(description: "ipcam_describe"),
        Device(description: "macrovideo_describe"),
        Device(description: "missing_content_type_describe"),
        Device(
            description: "reolink_describe", setUp: "reolink_setup", play: "reolink_play", tearDown: "reolink_teardown"),
        Device(description: "reolink_describe_control_first", setUp: "reolink_setup", play: "reolink_play"),
        Device(description: "tplink_sdp"),
        Device(description: "ubiquiti_sdp"),
        Device(description: "vstarcam_describe"),
    ]

    @Test(arguments: devices) func everyDevicePlays(_ device: Device) throws {
        let camera = try camera(device)
        let server = try camera.serve()
        defer { server.stop() }
        var plan = SessionPlan(
            try #require(RequestURL(server.url)), transport: device.usesDatagrams ? .udp : .tcp)
        plan.mediaChoice = .received
        if device.unauthorized != nil { plan.login = try RedirectionTests.login() }
        let outcome = try Watch.run(plan)
        #expect(
            Array(outcome.payloads.values) == [[camera.payload]], "\(outcome.end.map { "\($0)" } ?? "nothing came")")
    }

    /// The second reply to SETUP of this one is for audio, which is not set up.
    @Test func everyReplyIsUsed() {
        let all = SharedData.files(in: "rtsp-replies").map { String($0.dropFirst("rtsp-replies/".count).dropLast(4)) }
        #expect(Set(all).subtracting(Self.devices.flatMap(\.files)) == ["gw_main_setup_audio"])
    }

    /// A server with the replies of the device, and one packet of its video.
    private func camera(_ device: Device) throws -> SimulatedCamera {
        var camera = SimulatedCamera(device.description)
        let reply = try text(of: device.description)
        if reply.hasPrefix("RTSP/") {
            let end = try #require(reply.firstRange(of: "\r\n\r\n"))
            let lines = reply[..<end.lowerBound].split(separator: "\r\n").filter { !$0.hasPrefix("Content-Length:") }
            camera.describeHead = lines.joined(separator: "\r\n") + "\r\n"
            camera.sdp = String(reply[end.upperBound...])
        } else {
            camera.sdp = reply
        }
        camera.options = try device.options.map(text) ?? camera.options
        camera.setUp = try device.setUp.map(text) ?? camera.setUp
        camera.play = try device.play.map(text) ?? camera.play
        camera.tearDown = try device.tearDown.map(text) ?? camera.tearDown
        if let file = device.unauthorized {
            (camera.unauthorized, camera.challenges, camera.credentials) = (try text(of: file), [file], "Digest ")
        }
        let media = try SessionDescription(parsing: camera.sdp).media
        let video = try #require(media.first { $0.kind == "video" })
        camera.track = try #require(video.control)
        camera.otherTracks = media.filter { $0.kind != "video" }.compactMap(\.control)
        // The source is announced over UDP, in hexadecimal or in decimal.
        var packet = SimulatedCamera.packet(type: try #require(video.describedTrack).payloadType)
        if device.usesDatagrams {
            let source = camera.setUp.firstMatch(of: /ssrc=([0-9]+)/).flatMap { UInt32($0.1, radix: 16) } ?? 0
            for index in 0..<4 { packet[12 + index] = UInt8(truncatingIfNeeded: source >> UInt32(24 - 8 * index)) }
            (camera.after, camera.datagram) = ([], Array(packet.dropFirst(4)))
        } else {
            camera.after = packet
        }
        return camera
    }

    /// A reply, with `#` in place of its sequence number.
    private func text(of file: String) throws -> String {
        let bytes = try #require(SharedData.bytes("rtsp-replies/\(file).txt"))
        let text = String(decoding: bytes, as: UTF8.self)
        return text.replacing(/(?i)\r\n(CSeq): *\d+/) { "\r\n\($0.1): #" }
    }
}
