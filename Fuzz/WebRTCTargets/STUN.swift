import Fuzzing
import Media
import WebRTC
import Wire

/// A message of STUN is the same after writing and reading it, and only its key makes it authentic. Whatever a session of ICE receives,
/// it keeps a bounded number of paths, which are those that it has adopted and not forgotten; it answers only authentic checks; behind the
/// first path it selects only those on which its own check was answered; and nothing follows its end. Datagrams of a connection are the same
/// however they are split.
@Sendable func fuzzSTUN(_ input: [UInt8]) {
    if let message = STUNMessage(parsing: input.rawSpan) { check(message) }
    checkFrames(input)
    checkSession(input)
}

/// Not a hash, but different for different keys and messages as long as the fuzzer does not want otherwise.
private let authenticate: MessageAuthentication = { message, key in
    var code = [UInt8](repeating: 0x5A, count: 20)
    for (index, byte) in (message + key).enumerated() { code[index % 20] = code[index % 20] &* 31 &+ byte &+ 1 }
    return code
}

private func check(_ message: STUNMessage) {
    let datagram = message.encoded(key: [1, 2, 3], authenticate: authenticate)
    guard datagram.count < 0xFFFF, let again = STUNMessage(parsing: datagram.rawSpan) else {
        return require(datagram.count >= 0xFFFF, "a written message is read")
    }
    require(again.attributes == message.attributes, "attributes are read as they were written")
    require(again.kind == message.kind && again.method == message.method, "the type is read as it was written")
    require(again.transaction == message.transaction, "the transaction is read as it was written")
    require(
        again.isAuthentic(in: datagram.rawSpan, key: [1, 2, 3], authenticate: authenticate), "the key is the right one")
    require(
        !again.isAuthentic(in: datagram.rawSpan, key: [1, 2, 4], authenticate: authenticate), "another key is none")
}

private func checkFrames(_ input: [UInt8]) {
    let whole = frames([input])
    for split in [1, 2, 3, input.count / 2] where split <= input.count {
        require(
            whole == frames([Array(input[..<split]), Array(input[split...])]), "any split gives the same datagrams")
    }
    require(frames(whole.map { FramedDatagrams.framed($0) }) == whole, "a framed datagram is found")
}

private func frames(_ pieces: [[UInt8]]) -> [[UInt8]] {
    var (framed, found) = (FramedDatagrams(), [[UInt8]]())
    for piece in pieces {
        framed.append(piece.rawSpan)
        // Behind a datagram that is too long, none is found.
        while let datagram = try? framed.next() { found.append(datagram) }
    }
    return found
}

/// The input as steps: a kind and a path.
private func checkSession(_ input: [UInt8]) {
    let credentials = ICECredentials(random: [UInt8](repeating: 1, count: ICECredentials.randomByteCount))
    let remote = ICECredentials(random: [UInt8](repeating: 2, count: ICECredentials.randomByteCount))
    let address = TransportAddress(host: .ipv4(1), port: 2)
    var now = MonotonicTime(nanoseconds: 0)
    var agent = ICEAgent<UInt8>(credentials: credentials, remote: remote, at: now)
    var (owned, validated, isExpired, hasSelected) = (Set<UInt8>(), Set<UInt8>(), false, false)
    // The checks of the server, by path.
    var checks: [UInt8: STUNTransaction] = [:]
    var number: UInt64 = 0
    var script = Script(input)
    while !script.isAtEnd {
        let (step, path) = (script.byte(), script.byte())
        let orders: [ICEOrder<UInt8>]
        switch step % 8 {
        case 6: orders = agent.closed(path)
        case 7:
            now = now.advanced(byMilliseconds: Int64(path) * 100)
            orders = agent.nextDeadline <= now ? agent.deadlinePassed(at: now) : []
        default:
            let isAnswer = step % 8 == 5
            let isAuthentic = step & 64 == 0
            let message: STUNMessage
            if isAnswer {
                // The right number, or that of another path.
                let check = checks[step & 8 == 0 ? path : path &+ 1]
                message = STUNMessage(
                    step & 128 == 0 ? .success : .error, transaction: check ?? .init(high: 0, low: 0))
                let isRight = step & 8 == 0 && check != nil && message.kind == .success
                if isRight, isAuthentic, !isExpired { validated.insert(path) }
            } else {
                var attributes: [STUNAttribute] = [.userName("\(credentials.userFragment):\(remote.userFragment)")]
                if step & 8 != 0 { attributes.append(.useCandidate) }
                if step & 16 != 0 { attributes.append(.controlled(1)) }
                if step & 32 != 0 { attributes.append(.other(type: UInt16(path), [path])) }
                message = STUNMessage(
                    step & 128 == 0 ? .request : .indication, transaction: .init(high: 1, low: 2),
                    attributes: attributes)
            }
            let password = isAnswer ? remote.password : credentials.password
            let key = [UInt8]((isAuthentic ? password : "another").utf8)
            let datagram = message.encoded(key: key, authenticate: authenticate)
            guard let read = STUNMessage(parsing: datagram.rawSpan) else { continue }
            number += 1
            orders = agent.received(
                read, in: datagram.rawSpan, from: path, at: address, transaction: .init(high: 3, low: number), at: now,
                authenticate: authenticate)
            require(isAuthentic || orders.isEmpty, "only authentic messages have an effect")
        }
        require(!isExpired || orders.isEmpty, "nothing follows the end")
        for order in orders {
            switch order {
            case .send(let datagram, let path):
                require(datagram.count <= 100, "an answer or a check is short")
                if let sent = STUNMessage(parsing: datagram.rawSpan), sent.kind == .request {
                    require(checks[path] ?? sent.transaction == sent.transaction, "a path has one check")
                    checks[path] = sent.transaction
                }
            case .adopt(let path): require(owned.insert(path).inserted, "a path is adopted once")
            case .forget(let path):
                require(owned.remove(path) != nil, "only an adopted path is forgotten")
                checks[path] = nil
                validated.remove(path)
            case .select(let path):
                require(agent.owns(path), "the selected path is the session's")
                require(!hasSelected || validated.contains(path), "the peer has answered on the selected path")
                hasSelected = true
            case .suspend: require(agent.selectedPath == nil, "nothing is sent")
            case .expire: isExpired = true
            }
        }
        require(owned.count <= ICEAgent<UInt8>.maximumPathCount, "the number of paths is bounded")
        require(agent.owns(path) == owned.contains(path), "orders tell the paths")
        require(
            agent.selectedPath.map { owned.contains($0) } ?? validated.isEmpty, "a path is selected if one is validated"
        )
    }
    require((UInt8.min...UInt8.max).allSatisfy { agent.owns($0) == owned.contains($0) }, "orders tell all paths")
}
