/// The encoders that may be used, in order of preference. An encoder that has failed is not tried again.
struct EncoderSelection {
    private var candidates: [EncoderModel]
    private let open: EncoderModel.Opening

    init(_ settings: VideoEncoderSettings, open: @escaping EncoderModel.Opening) {
        candidates = EncoderModel.candidates(named: settings.encoder, hasFallback: settings.encoderFallback)
        self.open = open
    }

    /// Opens the first encoder that works.
    ///
    /// - Returns: the encoder, and the test results of those that did not work.
    /// - Throws: the failure of the first encoder, which is the requested one; for `auto`, the failures of all.
    mutating func next(_ settings: VideoEncoderSettings) throws(CodecFailure) -> (
        any FrameEncoder, [EncoderTestResult]
    ) {
        var rejected: [EncoderTestResult] = []
        while let model = candidates.first {
            do throws(CodecFailure) {
                return (try open(model, settings), rejected)
            } catch {
                rejected.append(EncoderTestResult(encoder: model.name, failure: error))
                candidates.removeFirst()
            }
        }
        throw Self.failure(rejected)
    }

    /// Removes the encoder in use because it has failed.
    mutating func dropFirst() {
        guard !candidates.isEmpty else { return }
        candidates.removeFirst()
    }

    private static func failure(_ rejected: [EncoderTestResult]) -> CodecFailure {
        if rejected.count == 1, let only = rejected[0].failure { return only }
        return CodecFailure(
            reason: (["no H.264 encoder works here"] + rejected.map(\.sentence)).joined(separator: "; "),
            remedy: "install libavcodec with libx264, and check size, bitrate and profile")
    }
}
