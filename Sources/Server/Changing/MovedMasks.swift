extension Configuration.Path {
    /// Privacy masks in pixels that were told for the size of `before`: on pictures of this path's size they lie elsewhere.
    func masksMoved(since before: Self) -> [MaskRectangle] {
        guard video.size != before.video.size else { return [] }
        return effects.privacyMasks.filter { $0.unit == .pixels && before.effects.privacyMasks.contains($0) }
    }

    /// Notes that the size cannot change alone: the masks would move off what they hide.
    ///
    /// - Parameter before: the path as it is now, of which nobody has said where the masks lie on another size.
    func noteMovedMasks(since before: Self, in reading: inout Reading) {
        let masks = OptionPath.root + "effects" + "privacyMasks"
        guard !masksMoved(since: before).isEmpty, !reading.hasRead(masks) else { return }
        let key = video.width != before.video.width ? "width" : "height"
        reading.note(
            "the privacy masks are in pixels of \(before.sizeText) and would move off what they hide; set \(masks.text) "
                + "together with it, or in percent before",
            with: .root + "video" + key)
    }

    fileprivate var sizeText: String { "\(video.width)x\(video.height)" }
}

extension Configuration {
    /// One sentence for each path whose size is another in `new`, and whose privacy masks in pixels are the same.
    func masksMoved(by new: Configuration) -> [String] {
        let (before, after) = (servedPaths, new.servedPaths)
        return after.keys.sorted().compactMap { name in
            guard let old = before[name], let path = after[name], !path.masksMoved(since: old).isEmpty else {
                return nil
            }
            return "paths.\(name).effects.privacyMasks: pixels of \(path.sizeText) from now on, which were those of "
                + "\(old.sizeText): see whether they hide what they should, or write them in percent"
        }
    }
}
