extension Configuration.Path {
    /// Privacy masks in pixels that were written for the frame size of `before`, and cover other parts of a frame of this size.
    func masksMoved(since before: Self) -> [MaskRectangle] {
        guard video.size != before.video.size else { return [] }
        return effects.privacyMasks.filter { $0.unit == .pixels && before.effects.privacyMasks.contains($0) }
    }

    /// Notes that the size cannot change without the masks, which would no longer cover what they hide.
    ///
    /// - Parameter before: the path before the change.
    func noteMovedMasks(since before: Self, in reading: inout Reading) {
        let masks = OptionPath.root + "effects" + "privacyMasks"
        guard !masksMoved(since: before).isEmpty, !reading.hasRead(masks) else { return }
        let key = video.width != before.video.width ? "width" : "height"
        reading.note(
            "the privacy masks are in pixels of \(before.sizeText) and would no longer cover what they hide; set "
                + "\(masks.text) in the same command, or change the masks to percent first",
            with: .root + "video" + key)
    }

    fileprivate var sizeText: String { "\(video.width)x\(video.height)" }
}

extension Configuration {
    /// One sentence for each path with another size in `new` and the same privacy masks in pixels.
    func masksMoved(by new: Configuration) -> [String] {
        let (before, after) = (servedPaths, new.servedPaths)
        return after.keys.sorted().compactMap { name in
            guard let old = before[name], let path = after[name], !path.masksMoved(since: old).isEmpty else {
                return nil
            }
            return
                "paths.\(name).effects.privacyMasks: the size has changed from \(old.sizeText) to \(path.sizeText), and the "
                + "masks are in pixels; check that they still cover what they hide, or write them in percent"
        }
    }
}
