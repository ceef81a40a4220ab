import Media
import RTSPClient
import SDP

/// What the session tells, on the loop's thread.
extension StreamMeasurement {
    public func session(
        _ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime
    ) {
        patience.renew(at: now)
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
        _ = recording.loss[packet.track].received(packet.sequenceNumber)
        if packet.track == videoTrack {
            if isLive(packet.arrival) {
                recording.jitter?.received(timestamp: packet.timestamp, arrival: packet.arrival)
            }
            intake.received(packet)
            takeFrames()
        } else if packet.track == audioTrack, isLive(packet.arrival) {
            recording.sound.append(
                ReceivedAudio(timestamp: packet.timestamp, arrival: packet.arrival, byteCount: packet.byteCount))
        }
    }

    public func session(
        _ number: SessionNumber, track: Int, reported time: NTPTime, timestamp: UInt32, arrival: MonotonicTime
    ) {
        guard isRunning else { return }
        let report = ReceivedReport(time: time, timestamp: timestamp, arrival: arrival)
        if track == videoTrack { recording.videoReports.append(report) }
        if track == audioTrack { recording.audioReports.append(report) }
    }

    /// Chooses the tracks: the first of video that Apus reads, else the first of video, and the first of sound.
    private func described(
        _ description: SessionDescription, _ tracks: [DescribedTrack], _ sessions: Sessions, at now: MonotonicTime
    ) {
        let kinds = description.media.filter { $0.describedTrack != nil }.map(\.kind)
        let video = kinds.indices.filter { kinds[$0] == "video" }
        videoTrack = video.first { tracks[$0].isH264 } ?? video.first
        audioTrack = kinds.firstIndex(of: "audio")
        guard let videoTrack else {
            let encodings = tracks.map(\.encodingName)
            return fail(encodings.isEmpty ? .ended(.nothingToPlay) : .noVideo(encodings), sessions, at: now)
        }
        let track = tracks[videoTrack]
        recording.encodingName = track.encodingName
        recording.isDecoded = track.isH264
        recording.videoRate = track.clockRate
        recording.audioRate = audioTrack.map { tracks[$0].clockRate }
        recording.jitter = InterarrivalJitter(rate: track.clockRate)
        recording.loss = tracks.map { _ in LossTracker() }
        intake = FrameAssembler(track.payload)
        if case .h264(let sets) = track.payload { parameterSets = sets }
    }
}

// MARK: - Frames

extension StreamMeasurement {
    private func isLive(_ arrival: MonotonicTime) -> Bool {
        recording.firstPacket.map { arrival - $0 >= MeasurePlan.settling } ?? false
    }

    /// Writes down the frames that are at their end, and hands them to the decoder.
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
        if isLive(frame.firstPacket), hasPicture { recording.firstLive = recording.firstLive ?? number }
        if hasPicture { patience.renew(at: frame.lastPacket) }
    }

    /// Whether frames can be shown by now, as far as that can be told.
    private var hasPicture: Bool { !recording.isDecoded || decoding.firstPicture != nil }

    private func decode(_ completion: FrameAssembler.Completion, number: Int) {
        guard recording.isDecoded, let unit = completion.unit?.accessUnit(number: number) else { return }
        decoding.submit(unit.with(parameterSets), isKey: completion.frame.isKey)
        // In band they are repeated, or never come: the description's are needed once.
        parameterSets = nil
    }

    /// What is missing when patience is over: `no answer came`.
    var awaited: String {
        if recording.connected == nil { return "no connection was made" }
        if recording.played == nil { return "the server did not answer" }
        guard let track = videoTrack, recording.loss.indices.contains(track) else { return "the server did not answer" }
        let packets = recording.loss[track].packets
        if packets == 0 { return "no packet of video came" }
        guard recording.live.isEmpty else { return "no further frame came" }
        return hasPicture ? "no further frame came" : "no picture could be decoded of \(packets) packets"
    }
}

extension DescribedTrack {
    fileprivate var isH264: Bool {
        if case .h264 = payload { true } else { false }
    }
}

extension AccessUnit {
    /// The same with parameter sets in front.
    fileprivate func with(_ sets: H264.ParameterSets?) -> AccessUnit {
        guard let sets else { return self }
        return AccessUnit(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime, isKeyframe: isKeyframe,
            nalUnits: sets.sequence + sets.picture + units.map { Array(bytes[$0]) })
    }
}
