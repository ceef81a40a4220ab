import Media

/// A track of the stream, and the offered medium and format for it.
struct TrackChoice {
    let track: Track
    /// The index of the medium in the offer.
    let index: Int
    let format: OfferedFormat

    /// Chooses the first track for which a medium has a format.
    ///
    /// - Parameter reordered: tracks with B-frames.
    init(of tracks: [Track], reordered: Set<TrackID>, in offer: Offer, _ media: [Int]) throws(OfferError) {
        var failures: [String] = []
        for track in tracks {
            for index in media {
                switch FormatMatch(of: track.format, in: offer.media[index].formats) {
                case .format where reordered.contains(track.id):
                    failures.append(FormatMatch.reorderingReason(of: track.format))
                case .format(let format):
                    (self.track, self.index, self.format) = (track, index, format)
                    return
                case .none(let reason): failures.append(reason)
                }
            }
        }
        throw .nothingInCommon(failures.first ?? "the offer has no media")
    }
}
