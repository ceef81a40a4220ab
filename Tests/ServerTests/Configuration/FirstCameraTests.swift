import Streams
import Testing

@testable import Server

struct FirstCameraTests {
    @Test func withoutPathsTheFirstWorkingCameraAndMicrophoneAreServed() {
        var configuration = Configuration()
        let microphone = "plughw:CARD=Mic,DEV=0"
        let said = configuration.chooseFirstCamera(among: { ("/dev/video2", []) }, microphone: { microphone })
        #expect(configuration.servedPaths.mapValues(\.source) == ["cam": .path("/dev/video2")])
        #expect(configuration.paths["cam"]?.audio.device == microphone)
        #expect(
            said == "No path is configured, so /cam is the first camera that works, /dev/video2, with the microphone "
                + "\(microphone).\n")
    }

    @Test func withoutAMicrophoneTheCameraIsServedWithoutAudio() {
        var configuration = Configuration()
        let said = configuration.chooseFirstCamera(among: { ("/dev/video2", []) }, microphone: { nil })
        #expect(configuration.paths["cam"]?.audio.device == "none")
        #expect(said?.contains("without audio, because there is no microphone") == true)
    }

    @Test func withoutACameraTheTestCardIsServedAndTheReasonIsShown() {
        var configuration = Configuration()
        let failure = SourceFailure(reason: "/dev/video0 is in use by guvcview (process 7)", remedy: "end that")
        let said = configuration.chooseFirstCamera { (nil, [failure]) }
        #expect(configuration == Configuration())
        #expect(said?.hasSuffix("(/dev/video0 is in use by guvcview (process 7); end that)\n") == true)
        #expect(configuration.chooseFirstCamera { (nil, []) }?.contains("no camera is connected") == true)
    }

    @Test func configuredPathsAreNotChanged() {
        var configuration = Configuration()
        configuration.paths = ["yard": Configuration.Path()]
        let before = configuration
        #expect(configuration.chooseFirstCamera { ("/dev/video0", []) } == nil)
        #expect(configuration == before)
    }
}
