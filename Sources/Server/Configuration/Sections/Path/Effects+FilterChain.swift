import Media

extension Configuration.Effects {
    /// All effects as one filter chain for libavfilter; empty if there are none.
    ///
    /// Masks come first. The input of the first mask is then the only open input, whatever `filters` contains: a chain with a
    /// second open input is refused, so no later filter can read the frame without its masks. The overlay comes last, so that
    /// it is not rotated or blurred.
    ///
    /// - Parameter size: the frame size for masks in pixels.
    func chain(title: String, size: (width: Int, height: Int)) -> String {
        let before = joined(privacyMasks.map { $0.box(on: size) } + [rotation, mirror ? "hflip" : "", blurring])
        let after = joined(texts(title: title))
        if filters.isBlank { return joined([before, after]) }
        // If there are labels, they say which of several branches is connected.
        let entry = filters.contains("[in]") ? "[in];" : ","
        let exit = filters.contains("[out]") ? ";[out]" : ","
        return (before.isEmpty ? "" : before + entry) + filters + (after.isEmpty ? "" : exit + after)
    }

    private func joined(_ steps: [String]) -> String {
        steps.filter { !$0.isEmpty }.joined(separator: ",")
    }

    private var rotation: String {
        switch rotate {
        case .none: ""
        case .quarter: "transpose=clock"
        case .half: "hflip,vflip"
        case .threeQuarters: "transpose=cclock"
        }
    }

    /// Two passes of a box blur: close to a Gaussian blur, and its cost does not grow with the radius.
    private var blurring: String {
        guard blur > 0 else { return "" }
        let radius = "ceil(min(w\\,h)*\(blur)/"
        return "boxblur=lr=\(radius)1000):lp=2:cr=\(radius)2000):cp=2"
    }
}

// MARK: - Overlay

extension Configuration.Effects {
    private func texts(title: String) -> [String] {
        let clock = text("%{localtime}", expansion: "normal", in: overlayCorner)
        // The parsers remove spaces at both ends.
        let title = title.trimmingBlanks
        switch overlay {
        // The machine timestamp is not a filter: it is drawn after all filters.
        case .none, .timestampOverlay: return []
        case .clock: return [clock]
        case .title: return title.isEmpty ? [] : [text(title, expansion: "none", in: overlayCorner)]
        case .both:
            return [clock] + (title.isEmpty ? [] : [text(title, expansion: "none", in: overlayCorner.beside)])
        }
    }

    /// White letters on a dark box, at a distance of 1/50 of the frame's height from the edges.
    ///
    /// - Parameter expansion: `normal` if `%{…}` is replaced by its value, otherwise `none`.
    private func text(_ text: String, expansion: String, in corner: TimestampOverlay.Corner) -> String {
        let x = corner.isLeft ? "h/50" : "w-tw-h/50"
        let y = corner.isTop ? "h/50" : "h-th-h/50"
        return
            "drawtext=font=monospace:fontsize=h*\(overlaySize)/100:fontcolor=white:box=1:boxcolor=black@0.5:boxborderw=4"
            + ":x=\(x):y=\(y):expansion=\(expansion):text=\(filterText(text))"
    }
}

extension TimestampOverlay.Corner {
    /// The other corner of the same edge.
    fileprivate var beside: Self {
        switch self {
        case .topLeft: .topRight
        case .topRight: .topLeft
        case .bottomLeft: .bottomRight
        case .bottomRight: .bottomLeft
        }
    }
}

/// `text` as the value of an option in a filter chain. Two parsers read it, that of the chain and that of the filter's options,
/// and each removes one layer of backslashes and quotes.
func filterText(_ text: String) -> String {
    // By scalars, because a quote with a combining accent is one character, and still a quote for the parsers.
    func escape(_ text: String, _ special: String.UnicodeScalarView) -> String {
        text.unicodeScalars.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
    return escape(escape(text, #"\':"#.unicodeScalars), #"\'[],;"#.unicodeScalars)
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy { $0 == " " } }

    /// Without spaces at both ends.
    fileprivate var trimmingBlanks: String {
        var scalars = unicodeScalars[...]
        while scalars.first == " " { scalars.removeFirst() }
        while scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }
}

extension MaskRectangle {
    /// A filter that paints it black. The edges move outward to even pixels, because 2×2 pixels share their chroma.
    ///
    /// - Parameter size: the path's size.
    func box(on size: (width: Int, height: Int)) -> String {
        let (columns, rows) = unit == .pixels ? size : (Self.whole, Self.whole)
        let left = "floor(iw*\(x)/\(2 * columns))*2"
        let top = "floor(ih*\(y)/\(2 * rows))*2"
        let right = "ceil(iw*\(x + width)/\(2 * columns))*2"
        let bottom = "ceil(ih*\(y + height)/\(2 * rows))*2"
        return "drawbox=x=\(left):y=\(top):w=\(right)-\(left):h=\(bottom)-\(top):color=black:t=fill"
    }
}
