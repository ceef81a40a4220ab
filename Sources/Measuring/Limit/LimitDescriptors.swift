import Reactor

/// The file descriptors that `bench limit` needs: a UDP socket and both ends of a connection per viewer.
enum LimitDescriptors {
    private static let perViewer = 3
    /// For loops, the listener, the sending socket, and the files that every process has open.
    private static let others = 64

    /// - Throws: if the process may not open that many.
    static func check(for plan: LimitPlan) throws(LimitFailure) {
        guard needed(by: plan) <= DescriptorLimit.raise() else { throw tooFew(for: plan) }
    }

    /// Describes a failed socket call in terms of the bench.
    static func failure(_ error: SystemError, for plan: LimitPlan) -> LimitFailure {
        if error.isDescriptorExhaustion { return tooFew(for: plan) }
        if error.isAddressInUse {
            return LimitFailure(
                reason: "\(plan.viewers) viewers need more ports than this host has free",
                remedy: "lower --count or widen net.ipv4.ip_local_port_range")
        }
        return LimitFailure(reason: "cannot open the sockets of the bench", remedy: "\(error)")
    }

    static func needed(by plan: LimitPlan) -> UInt64 { UInt64(plan.viewers * perViewer + others) }

    private static func tooFew(for plan: LimitPlan) -> LimitFailure {
        let limit = DescriptorLimit.raise()
        let most = max(0, (Int(clamping: limit) - others) / perViewer)
        return LimitFailure(
            reason: "\(plan.viewers) viewers need \(needed(by: plan)) file descriptors, but the limit is \(limit)",
            remedy: "lower --count to \(most), or raise the hard limit (ulimit -Hn)")
    }
}
