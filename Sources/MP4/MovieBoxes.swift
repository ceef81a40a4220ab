import Media
import Wire

/// The boxes of an init segment. All durations are 0, because the samples are in fragments.
extension ByteWriter {
    /// `ftyp`: fragments with tfdt and default-base-is-moof (`iso6`); one track is a CMAF track (`cmfc`).
    mutating func fileType(isSingleTrack: Bool) {
        box("ftyp") { writer in
            let brands: [BoxType] = ["iso6", "mp41"] + (isSingleTrack ? ["cmfc"] : [])
            writer.uint32(BoxType("iso6").rawValue)
            writer.uint32(0)
            for brand in brands { writer.uint32(brand.rawValue) }
        }
    }

    mutating func movie(_ tracks: [MovieTrack]) {
        box("moov") { writer in
            writer.movieHeader(nextTrack: (tracks.map(\.number).max() ?? 0) &+ 1)
            for track in tracks { writer.track(track) }
            writer.box("mvex") { writer in
                for track in tracks {
                    writer.fullBox("trex") { writer in
                        writer.uint32(track.number)
                        // The first sample description; defaults for duration, size and flags.
                        writer.uint32(1)
                        writer.uint32(0)
                        writer.uint32(0)
                        writer.uint32(SampleFlags.sync.rawValue)
                    }
                }
            }
        }
    }

    private mutating func movieHeader(nextTrack: UInt32) {
        fullBox("mvhd") { writer in
            // Creation and modification time, a timescale of milliseconds, duration.
            writer.zeros(8)
            writer.uint32(1_000)
            writer.uint32(0)
            // Rate 1, volume 1, reserved.
            writer.uint32(0x0001_0000)
            writer.uint16(0x0100)
            writer.zeros(10)
            writer.unityMatrix()
            writer.zeros(24)
            writer.uint32(nextTrack)
        }
    }

    private mutating func track(_ track: MovieTrack) {
        box("trak") { writer in
            // Enabled, in the movie.
            writer.fullBox("tkhd", flags: 3) { writer in
                writer.zeros(8)
                writer.uint32(track.number)
                // Reserved, duration, reserved, layer, alternate group.
                writer.zeros(4 + 4 + 8 + 2 + 2)
                writer.uint16(track.track.kind == .audio ? 0x0100 : 0)
                writer.uint16(0)
                writer.unityMatrix()
                writer.uint32(track.entry.picture?.displayWidth ?? 0)
                writer.uint32(UInt32(track.entry.picture?.height ?? 0) << 16)
            }
            writer.box("mdia") { $0.media(track) }
        }
    }

    private mutating func media(_ track: MovieTrack) {
        fullBox("mdhd") { writer in
            writer.zeros(8)
            writer.uint32(track.timescale)
            writer.uint32(0)
            // Language "und" in three times five bits, pre_defined.
            writer.uint16(0x55C4)
            writer.uint16(0)
        }
        let isVideo = track.isVideo
        let handler: BoxType = isVideo ? "vide" : "soun"
        fullBox("hdlr") { writer in
            writer.uint32(0)
            writer.uint32(handler.rawValue)
            writer.zeros(12)
            writer.append((isVideo ? "Video\0" : "Audio\0").utf8)
        }
        box("minf") { writer in
            if isVideo {
                // Flags 1 are required; mode copy, no colour.
                writer.fullBox("vmhd", flags: 1) { $0.zeros(8) }
            } else {
                writer.fullBox("smhd") { $0.zeros(4) }
            }
            // The media data is in the same file: a reference without location.
            writer.box("dinf") { writer in
                writer.fullBox("dref") { writer in
                    writer.uint32(1)
                    writer.fullBox("url ", flags: 1) { _ in }
                }
            }
            writer.box("stbl") { $0.sampleTable(track.entry) }
        }
    }

    private mutating func sampleTable(_ entry: SampleEntry) {
        fullBox("stsd") { writer in
            writer.uint32(1)
            writer.append(entry.bytes)
        }
        // No samples: they are in fragments.
        fullBox("stts") { $0.uint32(0) }
        fullBox("stsc") { $0.uint32(0) }
        fullBox("stsz") { $0.zeros(8) }
        fullBox("stco") { $0.uint32(0) }
    }

    private mutating func unityMatrix() {
        for value: UInt32 in [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000] { uint32(value) }
    }
}
