import CV4L2
import Streams
import Testing

@testable import Capture

struct V4L2DeviceTests {
    @Test func aDeviceNodeThatIsNotACameraIsClosedOnce() {
        var closed: [CInt] = []
        let failure = #expect(throws: SourceFailure.self) {
            _ = try V4L2Device(path: "/dev/null") { fd in
                if !closed.contains(fd) { cv4l2_close(fd) }
                closed.append(fd)
            }
        }
        #expect(failure?.reason.contains("/dev/null") == true)
        #expect(closed.count == 1)
    }
}
