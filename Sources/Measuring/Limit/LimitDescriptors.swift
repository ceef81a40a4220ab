import Reactor

/// The descriptors that a limit's run needs: each viewer is a UDP socket, and both ends of a connection.
enum LimitDescriptors {
    private static let perViewer = 3
    /// Loops, listener, the sending socket, and what the process has open anyway.
    private static let others = 64

    /// - Throws: where the process may not have that many.
    static func check(for plan: LimitPlan) throws(LimitFailure) {
        guard needed(by: plan) <= DescriptorLimit.raise() else { throw tooFew(for: plan) }
    }

    /// The failure of a socket call in words of the bench.
    static func failure(_ error: SystemError, for plan: LimitPlan) -> LimitFailure {
        if error.isDescriptorExhaustion { return tooFew(for: plan) }
        if error.isAddressInUse {
            return LimitFailure(
                reason: "\(plan.viewers) viewers need more ports than this host has free",
                remedy: "lower --count or widen net.ipv4.ip_local_port_range")
        }
        return LimitFailure(reason: "no sockets to measure with", remedy: "\(error)")
    }

    static func needed(by plan: LimitPlan) -> UInt64 { UInt64(plan.viewers * perViewer + others) }

    private static func tooFew(for plan: LimitPlan) -> LimitFailure {
        let limit = DescriptorLimit.raise()
        let most = max(0, (Int(clamping: limit) - others) / perViewer)
        return LimitFailure(
            reason: "\(plan.viewers) viewers need \(needed(by: plan)) descriptors, and the limit is \(limit)",
            remedy: "lower --count to \(most), or raise the hard limit (ulimit -Hn)")
    }
}
