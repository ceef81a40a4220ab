import Media
import Wire

/// Reads init segments and fragments (ISO/IEC 14496-12) field by field, and records violations of the specification.
struct MovieReader {
    struct Track: Equatable {
        var number: UInt32 = 0
        var timescale: UInt32 = 0
        var handler = ""
        /// Pixels, with 16 fractional bits.
        var displayWidth: UInt32 = 0
        var displayHeight: UInt32 = 0
        /// The type of the sample entry.
        var entry = ""
        var width: UInt16 = 0
        var height: UInt16 = 0
        var channelCount: UInt16 = 0
        var sampleRate: UInt32 = 0
        /// The boxes in the sample entry, by type.
        var entryBoxes: [String: [UInt8]] = [:]
        var defaultFlags: UInt32 = 0
    }

    struct Reference: Equatable {
        let track: UInt32
        let flags: UInt32
        let captured: UInt64
        let mediaTime: UInt64
    }

    struct Sample: Equatable {
        let track: UInt32
        /// As `tfdt` and durations say: ten seconds later than in the stream.
        let decode: UInt64
        let duration: Int64
        let compositionOffset: Int64
        let flags: UInt32
        let bytes: [UInt8]

        var presentation: UInt64 { decode &+ UInt64(bitPattern: compositionOffset) }
        var isSync: Bool { flags & 0x0001_0000 == 0 }
    }

    struct Fragment: Equatable {
        let sequenceNumber: UInt32
        let reference: Reference?
        let samples: [Sample]
    }

    private(set) var violations: [String] = []
    private(set) var brands: [String] = []
    private(set) var tracks: [Track] = []
    private(set) var nextTrack: UInt32 = 0
    private(set) var fragments: [Fragment] = []
    private(set) var segmentTypes: [[String]] = []
    private var reference: Reference?
    /// The last `moof` with its samples' places, until its `mdat`.
    private var moof: (start: Int, sequenceNumber: UInt32, samples: [(sample: Sample, place: Range<Int>)])?

    init() {}

    init(_ bytes: [UInt8]) {
        read(bytes)
    }

    /// All samples of a track.
    func samples(of track: UInt32) -> [Sample] { fragments.flatMap(\.samples).filter { $0.track == track } }

    /// Reads whole boxes.
    mutating func read(_ bytes: [UInt8]) {
        for (type, range) in boxes(in: bytes, 0..<bytes.count) {
            let content = Array(bytes[range])
            switch type {
            case "ftyp": brands = Self.brands(content)
            case "styp": segmentTypes.append(Self.brands(content))
            case "moov": readMovie(content)
            case "prft": readReference(content)
            case "moof": readMovieFragment(content, at: range.lowerBound - 8)
            case "mdat": readMediaData(bytes, range)
            default: violations.append("unexpected box \(type)")
            }
        }
    }

    /// The boxes that fill the range, with the ranges of their contents.
    private mutating func boxes(in bytes: [UInt8], _ range: Range<Int>) -> [(type: String, range: Range<Int>)] {
        var result: [(String, Range<Int>)] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            var reader = ByteReader(bytes.rawSpan.extracting(offset..<range.upperBound))
            guard let size = reader.uint32(), let type = reader.take(4), size >= 8,
                Int(size) <= range.upperBound - offset
            else {
                violations.append("a box at \(offset) does not fit")
                return result
            }
            result.append((String(decoding: [UInt8](type), as: UTF8.self), (offset + 8)..<(offset + Int(size))))
            offset += Int(size)
        }
        return result
    }

    /// The major brand and the compatible ones.
    private static func brands(_ content: [UInt8]) -> [String] {
        ([0] + Array(stride(from: 8, to: content.count, by: 4))).map {
            String(decoding: content[$0..<($0 + 4)], as: UTF8.self)
        }
    }
}

// MARK: - Init segments

extension MovieReader {
    private mutating func readMovie(_ content: [UInt8]) {
        tracks = []
        var defaults: [UInt32: UInt32] = [:]
        for (type, range) in boxes(in: content, 0..<content.count) {
            switch type {
            case "mvhd": nextTrack = number(content, range.upperBound - 4)
            case "trak":
                var track = Track()
                read(&track, content, range)
                tracks.append(track)
            case "mvex":
                for (_, range) in boxes(in: content, range) {
                    defaults[number(content, range.lowerBound + 4)] = number(content, range.lowerBound + 20)
                }
            default: violations.append("unexpected box \(type) in moov")
            }
        }
        for index in tracks.indices {
            guard let flags = defaults[tracks[index].number] else { return violations.append("a track without trex") }
            tracks[index].defaultFlags = flags
        }
        if defaults.count != tracks.count { violations.append("trex of an unknown track") }
    }

    /// Containers of a track, and the boxes that matter.
    private mutating func read(_ track: inout Track, _ content: [UInt8], _ range: Range<Int>) {
        for (type, range) in boxes(in: content, range) {
            let start = range.lowerBound
            switch type {
            case "mdia", "minf", "dinf", "stbl": read(&track, content, range)
            case "tkhd":
                if range.count != 84 { violations.append("tkhd of \(range.count) bytes") }
                track.number = number(content, start + 12)
                track.displayWidth = number(content, start + 76)
                track.displayHeight = number(content, start + 80)
            case "mdhd": track.timescale = number(content, start + 12)
            case "hdlr": track.handler = String(decoding: content[(start + 8)..<(start + 12)], as: UTF8.self)
            case "stsd": readSampleEntry(&track, content, range)
            case "vmhd", "smhd", "dref", "stts", "stsc", "stsz", "stco": break
            default: violations.append("unexpected box \(type) in trak")
            }
        }
    }

    private mutating func readSampleEntry(_ track: inout Track, _ content: [UInt8], _ range: Range<Int>) {
        for (type, entry) in boxes(in: content, (range.lowerBound + 8)..<range.upperBound) {
            let isVideo = track.handler == "vide"
            let start = entry.lowerBound
            track.entry = type
            if isVideo {
                (track.width, track.height) = (half(content, start + 24), half(content, start + 26))
            } else {
                (track.channelCount, track.sampleRate) = (half(content, start + 16), number(content, start + 24))
            }
            for (type, range) in boxes(in: content, (start + (isVideo ? 78 : 28))..<entry.upperBound) {
                track.entryBoxes[type] = Array(content[range])
            }
        }
    }

    private func half(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
        UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    private func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        UInt32(half(bytes, offset)) << 16 | UInt32(half(bytes, offset + 2))
    }
}

// MARK: - Fragments

extension MovieReader {
    private mutating func readReference(_ content: [UInt8]) {
        var reader = ByteReader(content.rawSpan)
        guard content.count == 24, let flags = reader.uint32(), let track = reader.uint32(),
            let captured = reader.uint64(),
            let mediaTime = reader.uint64(), reference == nil
        else { return violations.append("prft") }
        reference = Reference(track: track, flags: flags, captured: captured, mediaTime: mediaTime)
    }

    private mutating func readMovieFragment(_ content: [UInt8], at start: Int) {
        if moof != nil { violations.append("moof without mdat") }
        var sequenceNumber: UInt32 = 0
        var samples: [(Sample, Range<Int>)] = []
        for (type, range) in boxes(in: content, 0..<content.count) {
            switch type {
            case "mfhd": sequenceNumber = number(content, range.lowerBound + 4)
            case "traf": samples += readTrackFragment(Array(content[range]))
            default: violations.append("unexpected box \(type) in moof")
            }
        }
        moof = (start, sequenceNumber, samples)
    }

    /// The samples without bytes, and their places from the start of `moof`.
    private mutating func readTrackFragment(_ content: [UInt8]) -> [(Sample, Range<Int>)] {
        var (track, decode, samples): (UInt32, UInt64, [(Sample, Range<Int>)]) = (0, 0, [])
        for (type, range) in boxes(in: content, 0..<content.count) {
            var reader = ByteReader(content.rawSpan.extracting(range))
            let flags = reader.uint32() ?? 0
            switch type {
            case "tfhd":
                if flags != 0x02_0000 { violations.append("tfhd with flags \(flags)") }
                track = reader.uint32() ?? 0
            case "tfdt":
                if flags != 0x0100_0000 { violations.append("tfdt of version 0") }
                decode = reader.uint64() ?? 0
            case "trun":
                let count = reader.uint32() ?? 0
                guard flags & 0xFFFF_F3FF == 0x0100_0301, count > 0, var place = reader.uint32().map({ Int($0) }) else {
                    violations.append("trun with flags \(flags) and \(count) samples")
                    continue
                }
                for _ in 0..<count {
                    let (duration, size) = (reader.uint32() ?? 0, Int(reader.uint32() ?? 0))
                    let sampleFlags = flags & 0x400 != 0 ? reader.uint32() ?? 0 : defaultFlags(of: track)
                    let offset = flags & 0x800 != 0 ? Int32(bitPattern: reader.uint32() ?? 0) : 0
                    let sample = Sample(
                        track: track, decode: decode, duration: Int64(duration), compositionOffset: Int64(offset),
                        flags: sampleFlags, bytes: [])
                    samples.append((sample, place..<(place + size)))
                    decode &+= UInt64(duration)
                    place += size
                }
            default: violations.append("unexpected box \(type) in traf")
            }
            if reader.remaining != 0 { violations.append("\(reader.remaining) bytes too many in \(type)") }
        }
        return samples
    }

    private func defaultFlags(of track: UInt32) -> UInt32 { tracks.first { $0.number == track }?.defaultFlags ?? .max }

    private mutating func readMediaData(_ bytes: [UInt8], _ range: Range<Int>) {
        guard let moof else { return violations.append("mdat without moof") }
        var end = range.lowerBound
        let samples = moof.samples.map { sample, place in
            let place = (place.lowerBound + moof.start)..<(place.upperBound + moof.start)
            // Samples follow each other and fill the media data.
            if place.lowerBound != end || place.upperBound > range.upperBound { violations.append("a sample's place") }
            end = place.upperBound
            return Sample(
                track: sample.track, decode: sample.decode, duration: sample.duration,
                compositionOffset: sample.compositionOffset, flags: sample.flags,
                bytes: Array(bytes[place.clamped(to: 0..<bytes.count)]))
        }
        if end != range.upperBound { violations.append("bytes in mdat of no sample") }
        fragments.append(Fragment(sequenceNumber: moof.sequenceNumber, reference: reference, samples: samples))
        (self.moof, reference) = (nil, nil)
    }
}
