import CLinux
import Glibc

extension UDPSocket {
    /// Sets the time to live of multicast datagrams: 1 keeps them on the local link.
    public func setMulticastTimeToLive(_ hops: UInt8) throws(SystemError) {
        try setForBothFamilies(IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, Int32(hops))
    }

    /// Sets whether receivers on this host get the multicast datagrams that this socket sends.
    public func setMulticastLoop(_ isOn: Bool) throws(SystemError) {
        try setForBothFamilies(IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, isOn ? 1 : 0)
    }

    /// Sends multicast datagrams by the interface that has `address`.
    public func setMulticastInterface(having address: SocketAddress) throws(SystemError) {
        let index = Int32(bitPattern: try LocalAddresses.index(ofInterfaceHaving: address))
        var request = ip_mreqn()
        request.imr_ifindex = index
        let status = setsockopt(
            fd, clinux_level_ip, IP_MULTICAST_IF, &request, socklen_t(MemoryLayout<ip_mreqn>.size))
        guard status == 0 else { throw .last("setsockopt") }
        if family == .ipv6 { try descriptor.setOption(clinux_level_ipv6, IPV6_MULTICAST_IF, index) }
    }

    /// Sets an option for both families of a dual-stack socket, which keeps one value per family.
    func setForBothFamilies(_ ipv4Option: Int32, _ ipv6Option: Int32, _ value: Int32) throws(SystemError) {
        try descriptor.setOption(clinux_level_ip, ipv4Option, value)
        if family == .ipv6 { try descriptor.setOption(clinux_level_ipv6, ipv6Option, value) }
    }

    /// Joins `group` on the interface that has `address` (by default the interface of the route).
    public func join(_ group: SocketAddress, onInterfaceHaving address: SocketAddress? = nil) throws(SystemError) {
        try descriptor.changeMembership(MCAST_JOIN_GROUP, of: group, address)
    }

    /// Leaves `group`; the arguments are those of `join`.
    public func leave(_ group: SocketAddress, onInterfaceHaving address: SocketAddress? = nil) throws(SystemError) {
        try descriptor.changeMembership(MCAST_LEAVE_GROUP, of: group, address)
    }
}

extension Descriptor {
    /// Joins or leaves `group`, depending on `option`.
    func changeMembership(
        _ option: Int32, of group: SocketAddress, _ address: SocketAddress?
    ) throws(SystemError) {
        var request = group_req()
        if let address { request.gr_interface = try LocalAddresses.index(ofInterfaceHaving: address) }
        group.write(to: &request.gr_group, for: group.family)
        let level = group.family == .ipv4 ? clinux_level_ip : clinux_level_ipv6
        let status = setsockopt(fd, level, option, &request, socklen_t(MemoryLayout<group_req>.size))
        guard status == 0 else { throw .last("setsockopt") }
    }

    /// Joins `group` for the datagrams of one host (RFC 4607). Further calls add hosts.
    func join(
        _ group: SocketAddress, from source: SocketAddress, _ address: SocketAddress?
    ) throws(SystemError) {
        var request = group_source_req()
        if let address { request.gsr_interface = try LocalAddresses.index(ofInterfaceHaving: address) }
        group.write(to: &request.gsr_group, for: group.family)
        source.write(to: &request.gsr_source, for: group.family)
        let level = group.family == .ipv4 ? clinux_level_ip : clinux_level_ipv6
        let status = setsockopt(
            fd, level, MCAST_JOIN_SOURCE_GROUP, &request, socklen_t(MemoryLayout<group_source_req>.size))
        guard status == 0 else { throw .last("setsockopt") }
    }
}

extension LocalAddresses {
    fileprivate static func index(ofInterfaceHaving address: SocketAddress) throws(SystemError) -> UInt32 {
        guard let index = try LocalAddresses.interfaceIndex(of: address) else {
            throw SystemError(call: "getifaddrs", code: EADDRNOTAVAIL)
        }
        return index
    }
}
