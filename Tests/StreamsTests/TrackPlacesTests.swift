import Media
import Testing

@testable import Streams

/// How the tracks of a source take the places of those that viewers were announced.
struct TrackPlacesTests {
    private static let audio = Track(id: TrackID(1), format: .aac(.init(parsing: [0x11, 0x90])!))
    /// The same with the explicit statement that there is no SBR.
    private static let explicit = Track(id: TrackID(1), format: .aac(.init(parsing: [0x11, 0x90, 0x56, 0xE5, 0x00])!))
    private static let other = Track(id: TrackID(1), format: .aac(.init(parsing: [0x12, 0x10])!))

    private static func numbered(_ tracks: Track...) -> [Track] {
        tracks.enumerated().map { Track(id: TrackID($0), clockRate: $1.clockRate, format: $1.format) }
    }

    @Test func equalTracksStayAsTheyAre() throws {
        let places = try #require(TrackPlaces(of: [.video, Self.explicit], among: [.video, Self.audio]))
        #expect(places.changesNothing && places.missing.isEmpty && places.tracks == [.video, Self.explicit])
    }

    @Test func tracksInAnotherOrderAreRenumbered() throws {
        let source = Self.numbered(Self.audio, .video)
        let places = try #require(TrackPlaces(of: source, among: [.video, Self.audio]))
        #expect(!places.changesNothing && places.missing.isEmpty)
        #expect(places.tracks == [.video, Self.audio])
        let unit = AccessUnit.frame(0, idr: true).on(TrackID(1))
        #expect(places.place(unit)?.track == TrackID(0))
    }

    @Test func missingAudioIsNamedAndMoreAudioIsDropped() throws {
        let silent = try #require(TrackPlaces(of: [.video], among: [.video, Self.audio]))
        #expect(silent.missing == [TrackID(1)] && silent.tracks == [.video, Self.audio])
        let dropping = try #require(TrackPlaces(of: [.video, Self.audio], among: [.video]))
        #expect(!dropping.changesNothing && dropping.tracks == [.video])
        #expect(dropping.place(.audio(0)) == nil && dropping.place(.frame(0)) != nil)
    }

    @Test func otherAudioAndMissingVideoAreRefused() {
        #expect(TrackPlaces(of: [.video, Self.other], among: [.video, Self.audio]) == nil)
        #expect(TrackPlaces(of: Self.numbered(Self.audio), among: [.video, Self.audio]) == nil)
        #expect(TrackPlaces(of: [], among: []) == nil)
    }
}
