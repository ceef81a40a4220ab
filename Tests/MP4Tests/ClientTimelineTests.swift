import Media
import TestSupport
import Testing

@testable import MP4

@Suite struct ClientTimelineTests {
    /// What a client gets differs from the shared bytes only in the fields that are meant to differ.
    @Test(arguments: [false, true], [false, true])
    func onlyTheClientsFieldsDiffer(hasCaptureTime: Bool, reorders: Bool) {
        let units = Self.units(Broadcast(reorders: reorders), hasCaptureTime: hasCaptureTime)
        let fragments = Self.fragments(of: units)
        for start in [0, 1, 7, 200] {
            var timeline = ClientTimeline()
            for fragment in fragments[start...] {
                guard let fields = timeline.fields(for: fragment) else { continue }
                let own = Self.boxes(of: fragment, fields)
                let shared = Array(fragment.bytes.prefix(fragment.boxesByteCount))
                let moof = hasCaptureTime ? 32 : 0
                let places = [(moof + 20)..<(moof + 24), (moof + 60)..<(moof + 68)] + (hasCaptureTime ? [24..<32] : [])
                #expect(own.count == shared.count)
                #expect(
                    own.indices.allSatisfy { index in own[index] == shared[index] || places.contains { $0 ~= index } })
            }
        }
    }

    /// The client's file begins at 0 and with number 1, and has the stream's distances.
    @Test(arguments: [false, true], [0, 3, 100, 211])
    func timesBeginAtZero(hasCaptureTime: Bool, start: Int) throws {
        let units = Self.units(Broadcast(reorders: true), hasCaptureTime: hasCaptureTime)
        let all = Self.fragments(of: units)
        let first = try #require(all[start...].firstIndex { $0.isRandomAccessPoint && $0.kind == .video })
        let (reader, sent) = Self.client(of: all[first...])
        #expect(reader.violations == [])
        #expect(reader.fragments.first?.samples.first?.decode == 0)
        #expect(reader.fragments.map(\.sequenceNumber) == (1...UInt32(sent.count)).map { $0 })
        let origin = sent[0].decodeTime
        for (fragment, received) in zip(sent, reader.fragments) {
            let zero = origin.converted(to: fragment.decodeTime.rate).ticks
            #expect(received.samples[0].decode == UInt64(fragment.decodeTime.ticks - zero))
            #expect(received.samples[0].presentation == UInt64(fragment.presentationTime.ticks - zero))
            #expect(
                received.reference.map { $0.mediaTime == received.samples[0].presentation } ?? !hasCaptureTime)
        }
        // Audio that is older than the first frame is left out.
        #expect(sent.count >= all.count - first - 3)
    }

    /// A client that does without capture times gets the same fragments.
    @Test func theCaptureTimeCanBeLeftOut() {
        let all = Self.fragments(of: Self.units(Broadcast(), hasCaptureTime: true))[...]
        let (with, without) = (Self.client(of: all).0, Self.client(of: all, includesCaptureTime: false).0)
        #expect(without.violations == [] && without.fragments.allSatisfy { $0.reference == nil })
        #expect(with.fragments.map(\.samples) == without.fragments.map(\.samples))
    }

    /// A late B-frame after a fast start is shown where its compressed time says, and decoded as before.
    @Test func aFrameCanBeShownAtAnotherTime() {
        var timeline = ClientTimeline()
        let units = Self.units(Broadcast(reorders: true), hasCaptureTime: true).filter { $0.track == Broadcast.video }
        let fragments = Self.fragments(of: units)
        var reader = MovieReader()
        for fragment in fragments.prefix(8) {
            var shown = fragment.presentationTime
            shown.ticks += 1_234
            guard let fields = timeline.fields(for: fragment, presentedAt: shown) else {
                Issue.record("a later fragment is not left out")
                continue
            }
            reader.read(Self.boxes(of: fragment, fields) + fragment.bytes.dropFirst(fragment.boxesByteCount))
        }
        #expect(reader.violations == [])
        for (fragment, received) in zip(fragments, reader.fragments) {
            let zero = fragments[0].decodeTime.ticks
            #expect(received.samples[0].decode == UInt64(fragment.decodeTime.ticks - zero))
            #expect(received.samples[0].presentation == UInt64(fragment.presentationTime.ticks - zero + 1_234))
            #expect(received.reference.map(\.mediaTime) == received.samples[0].presentation)
        }
    }

    // MARK: - Clients

    private static func units(_ broadcast: Broadcast, hasCaptureTime: Bool) -> [AccessUnit] {
        broadcast.units(seconds: 4, seed: 5).map { unit in
            var unit = unit
            if hasCaptureTime { unit.captured = NTPTime(unixNanoseconds: unit.presentationTime.nanoseconds) }
            return unit
        }
    }

    private static func fragments(of units: [AccessUnit]) -> [MP4Fragment<[UInt8]>] {
        var packager = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .inBand)
        return packager.fragments(of: units)
    }

    /// What a client reads, and the fragments that it was sent.
    private static func client(of fragments: ArraySlice<MP4Fragment<[UInt8]>>, includesCaptureTime: Bool = true)
        -> (MovieReader, [MP4Fragment<[UInt8]>])
    {
        var (timeline, reader) = (ClientTimeline(), MovieReader(fragments.first?.head?.bytes ?? []))
        let sent = fragments.filter { fragment in
            guard let fields = timeline.fields(for: fragment) else { return false }
            reader.read(
                boxes(of: fragment, fields, includesCaptureTime: includesCaptureTime)
                    + fragment.bytes.dropFirst(fragment.boxesByteCount))
            return true
        }
        return (reader, sent)
    }

    private static func boxes(
        of fragment: MP4Fragment<[UInt8]>, _ fields: ClientTimeline.Fields, includesCaptureTime: Bool = true
    ) -> [UInt8] {
        let byteCount = fragment.boxesByteCount(includesCaptureTime: includesCaptureTime)
        let boxes = [UInt8](byteCount: byteCount) {
            fragment.writeBoxes(with: fields, includesCaptureTime: includesCaptureTime, to: &$0)
        }
        #expect(boxes.count == byteCount)
        return boxes
    }
}
