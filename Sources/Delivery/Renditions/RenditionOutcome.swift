/// What became of an operator's choice of a rendition.
public enum RenditionOutcome: Sendable {
    case chosen
    /// The viewer stays: its path has no renditions, or its client does not move between them.
    case stays
    /// The named path is none of the viewer's renditions.
    case noSuchRendition
}
