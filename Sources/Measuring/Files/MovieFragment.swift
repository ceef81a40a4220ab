import NIOCore

/// What `moof` says about the samples of each track.
struct MovieFragment {
    struct Run {
        var track: UInt32 = 0
        var decodeTime: UInt64 = 0
        var duration: UInt64 = 0
        /// Whether decoding can start at the first sample.
        var isSync = true
    }

    private(set) var runs: [Run] = []

    /// - Parameter content: the content of `moof`.
    init(_ content: ByteBuffer) throws(MP4Failure) {
        var content = content
        while let (type, box) = try content.readBox() {
            if type == "traf" { runs.append(try Self.run(box)) }
        }
    }

    private static func run(_ content: ByteBuffer) throws(MP4Failure) -> Run {
        var (content, run, defaults) = (content, Run(), Defaults())
        while let (type, content) = try content.readBox() {
            var box = content
            guard ["tfhd", "tfdt", "trun"].contains(type) else { continue }
            guard let versionAndFlags = box.readInteger(as: UInt32.self) else { throw .box(type) }
            let isRead =
                switch type {
                case "tfhd": defaults.read(flags: versionAndFlags, &box, into: &run)
                case "tfdt": readDecodeTime(version: versionAndFlags >> 24, &box, into: &run)
                default: readSamples(flags: versionAndFlags, &box, defaults, into: &run)
                }
            guard isRead else { throw .box(type) }
        }
        return run
    }

    /// The fields of `tfhd` that samples may leave out.
    private struct Defaults {
        var duration: UInt32?
        var flags: UInt32?

        /// - Returns: false if the box is too short. The same for the other functions.
        mutating func read(flags present: UInt32, _ box: inout ByteBuffer, into run: inout Run) -> Bool {
            guard let track = box.readInteger(as: UInt32.self) else { return false }
            run.track = track
            // base_data_offset, sample_description_index; default_sample_size lies between duration and flags.
            if present & 0x01 != 0, box.readInteger(as: UInt64.self) == nil { return false }
            if present & 0x02 != 0, box.readInteger(as: UInt32.self) == nil { return false }
            if present & 0x08 != 0 { duration = box.readInteger() }
            if present & 0x10 != 0, box.readInteger(as: UInt32.self) == nil { return false }
            if present & 0x20 != 0 { flags = box.readInteger() }
            return true
        }
    }

    private static func readDecodeTime(version: UInt32, _ box: inout ByteBuffer, into run: inout Run) -> Bool {
        let time = version == 1 ? box.readInteger(as: UInt64.self) : box.readInteger(as: UInt32.self).map(UInt64.init)
        guard let time else { return false }
        run.decodeTime = time
        return true
    }

    /// Reads `trun`. The box bounds the number of samples.
    private static func readSamples(
        flags present: UInt32, _ box: inout ByteBuffer, _ defaults: Defaults, into run: inout Run
    ) -> Bool {
        guard let count = box.readInteger(as: UInt32.self) else { return false }
        if present & 0x01 != 0, box.readInteger(as: UInt32.self) == nil { return false }
        var firstFlags = defaults.flags
        if present & 0x04 != 0 { firstFlags = box.readInteger() }
        guard present & 0xF00 != 0 else {
            run.duration &+= UInt64(defaults.duration ?? 0) * UInt64(count)
            run.isSync = isSync(firstFlags)
            return true
        }
        for index in 0..<count {
            var duration = defaults.duration ?? 0
            for field in [0x100, 0x200, 0x400, 0x800] as [UInt32] where present & field != 0 {
                guard let value = box.readInteger(as: UInt32.self) else { return false }
                if field == 0x100 { duration = value }
                if field == 0x400, index == 0 { firstFlags = value }
            }
            run.duration &+= UInt64(duration)
        }
        run.isSync = isSync(firstFlags)
        return true
    }

    /// sample_is_non_sync_sample is the 16th bit of a sample's flags.
    private static func isSync(_ flags: UInt32?) -> Bool { (flags ?? 0) & 0x0001_0000 == 0 }
}
