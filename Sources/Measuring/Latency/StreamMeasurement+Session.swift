import Media
import RTP
import RTSPClient
import SDP

/// The events of the session, on the loop's thread.
extension StreamMeasurement {
    public func session(
        _ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime
    ) {
        inactivity.restart(at: now)
        switch milestone {
        case .connected: recording.connected = now
        case .described(let description, let tracks): described(description, tracks, sessions, at: now)
        case .playing(let numbers):
            recording.played = now
            for (index, number) in numbers.enumerated() where recording.loss.indices.contains(index) {
                if let number { recording.loss[index].announceFirst(number) }
            }
        case .ended(let end): fail(.ended(end), sessions, at: now)
        }
    }

    public func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {
        guard isRunning, recording.loss.indices.contains(packet.track) else { return }
        recording.firstPacket = recording.firstPacket ?? packet.arrival
        count(packet)
        if packet.track == videoTrack {
            // A packet that was sent again says nothing about the network's jitter.
            if isLive(packet.arrival), !packet.isRepair {
                recording.jitter?.received(timestamp: packet.timestamp, arrival: packet.arrival)
            }
            intake.received(packet)
            takeFrames()
        } else if packet.track == audioTrack, isLive(packet.arrival) {
            recording.audio.append(
                ReceivedAudio(timestamp: packet.timestamp, arrival: packet.arrival, byteCount: packet.byteCount))
        }
    }

    private func count(_ packet: borrowing ReceivedPacket) {
        if packet.isRepair {
            _ = recording.loss[packet.track].receivedRepair(packet.sequenceNumber)
        } else {
            _ = recording.loss[packet.track].received(packet.sequenceNumber)
        }
    }

    public func session(
        _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime
    ) {
        guard isRunning else { return }
        let report = ReceivedReport(
            time: report.ntpTime, timestamp: report.rtpTimestamp, arrival: arrival)
        if track == videoTrack { recording.videoReports.append(report) }
        if track == audioTrack { recording.audioReports.append(report) }
    }

    /// Selects the tracks: the first video track in a known codec, else the first video track, and the first audio track.
    private func described(
        _ description: SessionDescription, _ tracks: [DescribedTrack], _ sessions: Sessions, at now: MonotonicTime
    ) {
        let kinds = description.media.filter { $0.describedTrack != nil }.map(\.kind)
        let video = kinds.indices.filter { kinds[$0] == "video" }
        videoTrack = video.first { tracks[$0].payload.codec?.facts.kind == .video } ?? video.first
        audioTrack = kinds.firstIndex(of: "audio")
        guard let videoTrack else {
            let encodings = tracks.map(\.encodingName)
            return fail(encodings.isEmpty ? .ended(.nothingToPlay) : .noVideo(encodings), sessions, at: now)
        }
        let track = tracks[videoTrack]
        recording.encodingName = track.encodingName
        recording.captureTimeOrigin = description.captureTimeOrigin
        recording.isDecoded = track.payload.codec?.facts.kind == .video
        if let codec = track.payload.codec { decoding.use(codec) }
        recording.videoRate = track.clockRate
        recording.audioRate = audioTrack.map { tracks[$0].clockRate }
        recording.jitter = InterarrivalJitter(rate: track.clockRate)
        recording.loss = tracks.map { _ in LossTracker() }
        recording.repair = plan.stream.repair(of: tracks)
        intake = FrameAssembler(track.payload)
        if case .described(let format) = track.payload { parameterSets = format.parameterSets }
    }
}

// MARK: - Frames

extension StreamMeasurement {
    private func isLive(_ arrival: MonotonicTime) -> Bool {
        recording.firstPacket.map { arrival - $0 >= MeasurePlan.settling } ?? false
    }

    /// Records the finished frames and passes them to the decoder.
    func takeFrames() {
        while let completion = intake.next() {
            let number = recording.frames.count
            recording.frames.append(completion.frame)
            decode(completion, number: number)
            note(completion.frame, number: number)
        }
    }

    private func note(_ frame: ReceivedFrame, number: Int) {
        if frame.isKey, frame.isWhole, recording.firstDecodable == nil { recording.firstDecodable = frame.lastPacket }
        if isLive(frame.firstPacket), hasDecodedFrame { recording.firstLive = recording.firstLive ?? number }
        if hasDecodedFrame { inactivity.restart(at: frame.lastPacket) }
    }

    /// Whether a frame has been decoded; always `true` for codecs that are not decoded.
    private var hasDecodedFrame: Bool { !recording.isDecoded || decoding.firstFrame != nil }

    private func decode(_ completion: FrameAssembler.Completion, number: Int) {
        guard recording.isDecoded, let unit = completion.unit?.accessUnit(number: number) else { return }
        decoding.submit(unit.with(parameterSets), isKey: completion.frame.isKey)
        // The parameter sets of the description are needed once; in-band sets are repeated.
        parameterSets = []
    }

    /// What has not happened after the connection, if nothing plays.
    private var silentAnswer: String {
        if case .whep = plan.stream, videoTrack != nil { return "the DTLS handshake was not complete" }
        return "the server did not answer"
    }

    /// What has not happened when the inactivity timeout expires, such as `no further frame arrived`.
    var missing: String {
        if recording.connected == nil { return "no connection was made" }
        if recording.played == nil { return silentAnswer }
        guard let track = videoTrack, recording.loss.indices.contains(track) else { return "the server did not answer" }
        let packets = recording.loss[track].packets
        if packets == 0 { return "no video packet arrived" }
        guard recording.live.isEmpty else { return "no further frame arrived" }
        return hasDecodedFrame ? "no further frame arrived" : "no frame could be decoded from \(packets) packets"
    }
}

extension AccessUnit {
    /// This unit with `sets` in front.
    fileprivate func with(_ sets: [[UInt8]]) -> AccessUnit {
        guard !sets.isEmpty else { return self }
        return AccessUnit(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime, isKeyframe: isKeyframe,
            nalUnits: sets + units.map { Array(bytes[$0]) })
    }
}

extension Track.Format {
    /// The NAL units that a decoder needs first; empty if the codec has none.
    fileprivate var parameterSets: [[UInt8]] {
        switch self {
        case .h264(let sets): sets.sequence + sets.picture
        case .h265(let sets): sets.all
        case .aac, .opus, .g711: []
        }
    }
}
