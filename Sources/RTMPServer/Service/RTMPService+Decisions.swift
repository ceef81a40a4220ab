import Delivery
import Media
import RTMP
import RTSP
import Reactor
import Streams

/// What clients ask for, and what they are answered.
extension RTMPService {
    // MARK: Connecting

    func decide(_ request: ConnectRequest, of connection: Connection, at now: MonotonicTime) {
        connection.idleSince = now
        switch connection.access.admission(of: request, at: now) {
        case .accepted: connection.session.acceptConnection()
        case .rejected(let rejection, let failure):
            if let failure {
                noteRefusal(failure, of: connection, at: now)
            } else if rejection == .needsCredentials {
                // Clients that have some connect again, so this is no refusal yet.
                log.log(
                    .refusedAccess, .info, "client asked for a user and a password", peer: connection.peer,
                    reason: "there is none in the query of its application (rtmp.challenge)", at: now)
            }
            guard failure?.countsAsGuess == true else { return connection.session.rejectConnection(rejection) }
            delay(.connect(rejection), of: connection, at: now)
        }
    }

    // MARK: Publishing

    func decidePublishing(_ address: StreamAddress, of connection: Connection, at now: MonotonicTime) {
        guard let path = address.decodedPath else {
            return connection.session.reject(.publishBadName, "the path has an invalid percent encoding")
        }
        switch authorise(.publish, path, address, of: connection, at: now) {
        case .granted(let grant): publish(path, grant, on: connection, at: now)
        case .undecided(let question): ask(.mayPublish(path, question), question, for: connection)
        case .refused(let failure):
            refuse(failure, .publishUnauthorized, path, of: connection, at: now)
        }
    }

    private func publish(_ path: String, _ grant: Grant, on connection: Connection, at now: MonotonicTime) {
        let publisher = PublishingPoint.Publisher(
            user: grant.user, peer: connection.peer, userAgent: connection.clientName)
        guard let offered = context.services.path(at: path), offered.stream.path == path else {
            return create(path, grant, for: publisher, on: connection, at: now)
        }
        guard let point = offered.publishing else {
            return refusePublisher(connection, path, "\(path) has a source of its own", at: now)
        }
        begin(publisher, path, grant, at: point, on: connection, at: now)
    }

    private func create(
        _ path: String, _ grant: Grant, for publisher: PublishingPoint.Publisher, on connection: Connection,
        at now: MonotonicTime
    ) {
        connection.stepNumber += 1
        let (notices, token, step) = (inbox.notices, connection.token, connection.stepNumber)
        let isCreating = context.services.createPath(path, for: publisher) { refusal in
            notices.put(.init(connection: token, step: step, content: .pathCreated(refusal: refusal)))
        }
        if isCreating {
            connection.question = .creates(path, grant)
        } else {
            refusePublisher(connection, path, "there is no path \(path)\(suggestion(for: path, grant))", at: now)
        }
    }

    func refusePublisher(_ connection: Connection, _ path: String, _ reason: String, at now: MonotonicTime) {
        log.log(
            .refusedPublisher, .notice, "publisher refused", peer: connection.peer, reason: reason,
            ["path": "\(path)", "transport": "\(connection.transportName)"], at: now)
        connection.session.reject(.publishBadName, reason)
    }

    // MARK: Playing

    func decidePlaying(_ address: StreamAddress, of connection: Connection, at now: MonotonicTime) {
        guard let path = address.decodedPath else {
            return connection.session.reject(.playStreamNotFound, "the path has an invalid percent encoding")
        }
        switch authorise(.read, path, address, of: connection, at: now) {
        case .granted(let grant): play(path, grant, on: connection, at: now)
        case .undecided(let question): ask(.mayPlay(path, question), question, for: connection)
        case .refused(let failure): refuse(failure, .playFailed, path, of: connection, at: now)
        }
    }

    private func play(_ path: String, _ grant: Grant, on connection: Connection, at now: MonotonicTime) {
        guard let offered = context.services.path(at: path) else {
            return refusePlayer(
                connection, path, .playStreamNotFound, "there is no path \(path)\(suggestion(for: path, grant))",
                at: now)
        }
        let demand = offered.stream.demand
        let patience = max(demand.startMilliseconds ?? 0, context.options.sourceMilliseconds)
        connection.role = .waiting(
            Connection.Waiting(
                path: offered, grant: grant, deadline: now.advanced(byMilliseconds: patience),
                use: StreamUse(of: offered.stream)))
        if !start(connection, at: now) { waiting.append(connection.token) }
    }

    func refusePlayer(
        _ connection: Connection, _ path: String, _ code: RTMP.StatusCode, _ reason: String, at now: MonotonicTime
    ) {
        log.log(
            .refusedPlayer, .info, "player refused", peer: connection.peer, reason: reason,
            ["path": "\(path)", "transport": "\(connection.transportName)"], at: now)
        connection.role = .none
        connection.session.reject(code, reason)
    }

    /// Names the path that is most like an unknown one, if the client may watch it.
    private func suggestion(for path: String, _ grant: Grant) -> String {
        guard let nearest = context.services.nearestPath(to: path), grant.admits(.read, nearest) else { return "" }
        return "; did you mean \(nearest)?"
    }

    // MARK: Access

    private func authorise(
        _ right: Right, _ path: String, _ address: StreamAddress, of connection: Connection, at now: MonotonicTime
    ) -> ConnectionAccess.Outcome {
        connection.access.authorise(right, path, address, userAgent: connection.clientName ?? "", at: now)
    }

    private func ask(
        _ question: Connection.Question, _ request: ExternalAuthorisationRequest, for connection: Connection
    ) {
        connection.stepNumber += 1
        connection.question = question
        let (notices, token, step) = (inbox.notices, connection.token, connection.stepNumber)
        context.services.decide(request, for: connection.name) { decision in
            notices.put(.init(connection: token, step: step, content: .decided(decision)))
        }
    }

    /// Something has been decided or has happened elsewhere.
    func take(_ notice: LoopInbox.Notice.Content, for connection: Connection, at now: MonotonicTime) {
        let question = connection.question
        switch (notice, question) {
        case (.decided(let decision), .mayPublish(let path, let request)):
            connection.question = nil
            switch connection.access.decided(decision, about: request) {
            case .granted(let grant): publish(path, grant, on: connection, at: now)
            case .refused(let failure): refuse(failure, .publishUnauthorized, path, of: connection, at: now)
            case .undecided, nil: connection.session.reject(.publishFailed, Self.isUndecided)
            }
        case (.decided(let decision), .mayPlay(let path, let request)):
            connection.question = nil
            switch connection.access.decided(decision, about: request) {
            case .granted(let grant): play(path, grant, on: connection, at: now)
            case .refused(let failure): refuse(failure, .playFailed, path, of: connection, at: now)
            case .undecided, nil: connection.session.reject(.playFailed, Self.isUndecided)
            }
        case (.pathCreated(let refusal), .creates(let path, let grant)):
            connection.question = nil
            if let refusal {
                refusePublisher(connection, path, refusal, at: now)
            } else {
                publish(path, grant, on: connection, at: now)
            }
        case (.publicationEnded(let end), _): publicationEnded(end, of: connection, at: now)
        default: break
        }
        drain(connection, at: now)
    }

    private static let isUndecided = "access.httpCallback does not decide now"

    /// Refuses, after a delay if a password was wrong.
    private func refuse(
        _ failure: AccessFailure, _ code: RTMP.StatusCode, _ path: String, of connection: Connection,
        at now: MonotonicTime
    ) {
        noteRefusal(failure, of: connection, path: path, at: now)
        guard failure.countsAsGuess else { return connection.session.reject(code, failure.text) }
        delay(.stream(code, failure.text), of: connection, at: now)
    }

    private func delay(
        _ refusal: Connection.DelayedRefusal.Refusal, of connection: Connection, at now: MonotonicTime
    ) {
        let milliseconds = Int64(connection.access.guessDelayMilliseconds)
        connection.delayed = Connection.DelayedRefusal(
            deadline: now.advanced(byMilliseconds: milliseconds), refusal: refusal)
        touch(connection)
    }

    private func noteRefusal(
        _ failure: AccessFailure, of connection: Connection, path: String? = nil, at now: MonotonicTime
    ) {
        if connection.access.countGuess(failure, at: now) {
            log.log(
                .lockOut, .warning, "address locked out: too many wrong passwords", peer: connection.peer, at: now)
        }
        if failure.isLockOut { return log.debug("refused", peer: connection.peer, reason: "\(failure)") }
        let isMissing = failure == .noCredentials(.tracks)
        let reason =
            isMissing ? "the client sent no user and password: add ?user=USER&pass=PASSWORD to its URL" : "\(failure)"
        log.log(
            .refusedAccess, .notice, "refused", peer: connection.peer, reason: reason,
            path.map { ["path": "\($0)"] } ?? [:], at: now)
    }
}
