import HLS
import NIOCore
import Streams
import Synchronization

/// Wakes the playback of a stream when a rendition has new media. Wake-ups that come before its turn are one.
final class RenditionWaker: Waker {
    private let loop: any EventLoop
    private let playback: NIOLoopBound<StreamPlayback>
    private let name: PlaylistName
    private let isAwake = Atomic(false)

    init(_ loop: any EventLoop, _ playback: NIOLoopBound<StreamPlayback>, _ name: PlaylistName) {
        (self.loop, self.playback, self.name) = (loop, playback, name)
    }

    func wake() {
        guard !isAwake.exchange(true, ordering: .acquiring) else { return }
        loop.execute { [self] in
            isAwake.store(false, ordering: .releasing)
            playback.value.turn(name)
        }
    }
}
