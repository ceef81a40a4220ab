import Media
import Testing

@testable import Streams

struct FrameOrderTests {
    private let stream = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))

    /// Publishes frames with these presentation times in milliseconds, one each 40 ms, and returns the reordered tracks.
    private func reordered(_ presentation: [Int64], keyframes: Set<Int> = [0]) -> Set<TrackID> {
        stream.announce([.video, .audio])
        for (index, time) in presentation.enumerated() {
            stream.publish(.frame(presented: time, decoded: Int64(index) * 40, idr: keyframes.contains(index)))
            stream.publish(.audio(time))
        }
        return stream.reorderedTracks
    }

    @Test func framesInOrderAreNotReordered() {
        #expect(reordered([0, 40, 80, 120, 160]).isEmpty)
        // Presented a constant time after they are decoded.
        #expect(reordered([80, 120, 160, 200]).isEmpty)
    }

    @Test func bFramesAreFound() {
        #expect(reordered([80, 200, 120, 160]) == [Track.video.id])
        // A pyramid.
        #expect(reordered([80, 240, 160, 120, 200]) == [Track.video.id])
    }

    /// B-frames before the keyframe of an open group of pictures.
    @Test func leadingFramesAreFound() {
        #expect(reordered([80, 200, 120, 160], keyframes: [0, 1]) == [Track.video.id])
    }

    @Test func oneFrameThatGoesBackIsNoReordering() {
        #expect(reordered([0, 40, 90, 80, 160, 200]).isEmpty)
    }

    /// A substitute was presented at once, and the source is presented with a delay, or the other way round.
    @Test func anotherSourceThatBeginsEarlierIsNoReordering() {
        #expect(reordered([280, 320, 360, 120, 160, 200, 240, 280], keyframes: [0, 3]).isEmpty)
    }

    @Test func framesInPartsAreComparedAsFrames() {
        stream.announce([.video])
        for index in 0..<4 {
            for part in [AccessUnit.Part.first, .last] {
                stream.publish(
                    .frame(presented: Int64(index) * 40, decoded: Int64(index) * 40, idr: index == 0, part: part))
            }
        }
        #expect(stream.reorderedTracks.isEmpty)
    }

    @Test func anAnnouncementForgetsTheFrames() {
        #expect(!reordered([80, 200, 120, 160]).isEmpty)
        stream.announce([.video])
        #expect(stream.reorderedTracks.isEmpty)
    }
}

extension AccessUnit {
    /// A video frame whose times, in milliseconds, differ.
    fileprivate static func frame(
        presented: Int64, decoded: Int64, idr: Bool = false, part: Part = .whole
    ) -> AccessUnit {
        AccessUnit(
            track: TrackID(0), presentationTime: MediaTime(ticks: presented * 90, rate: .video),
            decodeTime: MediaTime(ticks: decoded * 90, rate: .video), isKeyframe: idr, part: part, bytes: [0x41],
            units: [0..<1])
    }
}
