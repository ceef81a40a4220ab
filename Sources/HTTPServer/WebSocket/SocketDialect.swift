import MP4
import Media

/// The protocol of a WebSocket's messages.
enum SocketDialect {
    /// That of the page (docs/http-websocket.md).
    case page
    /// That of go2rtc: the media begin when the client has named its codecs.
    case go2rtc(Go2rtcOffer)
}

/// Makes the viewer for what a client has chosen.
typealias Go2rtcOffer = (LiveSelection, SocketHandler) throws(Problem) -> LiveViewer

/// Messages in the form of go2rtc. Only `mse` is answered with media.
///
/// ```
///   client  {"type":"mse","value":"avc1.640029,mp4a.40.2"}
///   server  {"type":"mse","value":"video/mp4; codecs=\"avc1.64001F, mp4a.40.2\""}
///           init segment, fragment, fragment, …                                     (binary)
/// ```
extension SocketHandler {
    func received(go2rtc bytes: [UInt8], _ offer: Go2rtcOffer) {
        do throws(ClientMessage.Failure) {
            let message = try Go2rtcMessage(parsing: bytes)
            switch message.type {
            case "mse": beginMedia(message, offer)
            // Candidates follow an offer, which has been answered.
            case "webrtc/candidate": break
            default: sendError(message, "this server does not have it")
            }
        } catch {
            close(.broken("the message is not what the server understands"))
        }
    }

    private func beginMedia(_ message: Go2rtcMessage, _ offer: Go2rtcOffer) {
        guard viewer == nil else { return sendError(message, "the media have begun") }
        do throws(Problem) {
            let viewer = try offer(LiveSelection(codecs: message.codecs), self)
            self.viewer = viewer
            viewers?.add(viewer, patience: nil)
        } catch {
            sendError(message, error.detail)
        }
    }

    /// Sends an init segment. Its players make a buffer for each `mse`, so a later init segment comes without one.
    ///
    /// - Returns: false if the player would need another buffer.
    func begin(go2rtc initSegment: InitSegment, after former: InitSegment?) -> Bool {
        if let former {
            guard initSegment.tracks.isCompatible(with: former.tracks) else { return false }
        } else {
            write(Go2rtcMessage(type: "mse", value: initSegment.contentType))
        }
        connection.write(initSegment.bytes)
        connection.flush()
        return true
    }

    /// Says why the media end, because players of go2rtc do not look at the reason of the close message.
    func end(go2rtc reason: LiveEnd) { write(Go2rtcMessage(type: "error", value: "mse: \(reason.text)")) }

    private func sendError(_ message: Go2rtcMessage, _ reason: String) {
        write(Go2rtcMessage(type: "error", value: "\(message.type): \(reason)"))
    }

    private func write(_ message: Go2rtcMessage) {
        connection.write(json(message), as: .text)
        connection.flush()
    }
}
