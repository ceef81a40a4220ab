import Media
import Streams
import Synchronization

/// What a publication publishes at other paths: its video tracks beside the main one. They end with it. Thread-safe.
final class FurtherPublications: Sendable {
    private struct Entry {
        let point: PublishingPoint
        let publication: Publication
    }

    private let entries = Mutex<[TrackNumber: Entry]>([:])

    /// The input of a point, at which the publication of a track begins if it has not; `nil` if the path is being removed.
    func input(of number: TrackNumber, at point: PublishingPoint, for main: Publication) -> StreamInput? {
        entries.withLock { entries in
            if let entry = entries[number], entry.point === point, !entry.publication.input.isClosed {
                return entry.publication.input
            }
            // Its input is asked for again every second, so nothing needs to be told that it has ended.
            let publication = Publication(main.publisher, over: main.transport, PublishedTexts(), at: point) { _ in }
            do throws(PublishingPoint.Refusal) {
                try point.begin(publication)
            } catch {
                entries[number] = nil
                return nil
            }
            entries[number] = Entry(point: point, publication: publication)
            let stream = point.stream
            stream.events?.publish(stream.path) { .publisherJoined(publication.eventClient) }
            return publication.input
        }
    }

    /// The paths get nothing more.
    func close() {
        for entry in entries.withLock({ $0.values.map(\.self) }) { entry.publication.input.close() }
    }

    /// The main publication has ended.
    func ended(because reason: String) {
        let entries = entries.withLock { entries in
            defer { entries = [:] }
            return entries.values.map(\.self)
        }
        for entry in entries {
            entry.point.ended(entry.publication, because: reason)
            let stream = entry.point.stream
            stream.events?.publish(stream.path) { .publisherLeft(entry.publication.eventClient, reason: reason) }
        }
    }
}
