extension Configuration.Effects {
    /// All of it as one chain of libavfilter's; empty where nothing is to be done.
    ///
    /// Masks come first. The first mask's input is then open whatever `filters` holds, and a chain with a second open input
    /// is refused, so nothing behind the masks can get at the picture before them. The overlay comes last: it stays upright,
    /// sharp, and in its corner.
    ///
    /// - Parameter size: that of the picture in whose pixels masks are told.
    func chain(title: String, size: (width: Int, height: Int)) -> String {
        let before = joined(privacyMasks.map { $0.box(on: size) } + [rotation, mirror ? "hflip" : "", blurring])
        let after = joined(texts(title: title))
        if filters.isBlank { return joined([before, after]) }
        // Labels, where there are some, say which of several branches is connected.
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

    /// Two passes of a moving average, each in both directions: near to a Gaussian, at a cost that does not grow with it.
    private var blurring: String {
        guard blur > 0 else { return "" }
        let radius = "ceil(min(w\\,h)*\(blur)/"
        return "boxblur=lr=\(radius)1000):lp=2:cr=\(radius)2000):cp=2"
    }
}

// MARK: - Text in the picture

extension Configuration.Effects {
    private func texts(title: String) -> [String] {
        let clock = text("%{localtime}", expansion: "normal", in: overlayCorner)
        // The parsers cut blanks off at either end.
        let title = title.trimmingBlanks
        switch overlay {
        // The block code is no filter: it is drawn after all of them.
        case .none, .timestampOverlay: return []
        case .clock: return [clock]
        case .title: return title.isEmpty ? [] : [text(title, expansion: "none", in: overlayCorner)]
        case .both:
            return [clock] + (title.isEmpty ? [] : [text(title, expansion: "none", in: overlayCorner.beside)])
        }
    }

    /// White letters on a dark box, a fiftieth of the picture's height from the edges.
    ///
    /// - Parameter expansion: whether `%{…}` stands for something.
    private func text(_ text: String, expansion: String, in corner: Corner) -> String {
        let x = corner.isLeft ? "h/50" : "w-tw-h/50"
        let y = corner.isTop ? "h/50" : "h-th-h/50"
        return
            "drawtext=font=monospace:fontsize=h*\(overlaySize)/100:fontcolor=white:box=1:boxcolor=black@0.5:boxborderw=4"
            + ":x=\(x):y=\(y):expansion=\(expansion):text=\(filterText(text))"
    }
}

extension Configuration.Effects.Corner {
    var isLeft: Bool { self == .topLeft || self == .bottomLeft }
    var isTop: Bool { self == .topLeft || self == .topRight }

    /// The other corner of the same edge.
    var beside: Self {
        switch self {
        case .topLeft: .topRight
        case .topRight: .topLeft
        case .bottomLeft: .bottomRight
        case .bottomRight: .bottomLeft
        }
    }
}

/// `text` as the value of an option in a chain. It is read twice there: the chain's parser looks for the end of the filter,
/// then the filter for the end of the option; each takes away one layer of backslashes and quotes.
func filterText(_ text: String) -> String {
    // By scalars: a quote with an accent on it is still a quote.
    func escape(_ text: String, _ special: String.UnicodeScalarView) -> String {
        text.unicodeScalars.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
    return escape(escape(text, #"\':"#.unicodeScalars), #"\'[],;"#.unicodeScalars)
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy { $0 == " " } }

    /// Without blanks at either end.
    fileprivate var trimmingBlanks: String {
        var scalars = unicodeScalars[...]
        while scalars.first == " " { scalars.removeFirst() }
        while scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }
}
