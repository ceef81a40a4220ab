import CSRTPCiphers
import RTP

/// Seals (encrypts and authenticates) or opens packets with one session key. Allocates nothing. Confined to its owner's thread.
final class Cipher {
    let suite: CipherSuite
    private let cipher: OpaquePointer

    enum Direction {
        case seals
        case opens
    }

    init(_ keys: SessionKeys, _ suite: CipherSuite, _ direction: Direction) throws(SRTPFailure) {
        let made = apus_srtp_cipher_make(
            suite.mode, direction == .seals ? apus_srtp_seals : apus_srtp_opens, keys.encryption, keys.authentication,
            keys.salt)
        guard let made else { throw .impossible }
        self.suite = suite
        cipher = made
    }

    deinit {
        apus_srtp_cipher_free(cipher)
    }

    /// Writes the encrypted payload to `sealed` and the authentication tag to `tag`. Writes zeros if encryption fails, so that no
    /// plain text can leave.
    ///
    /// - Parameter trailer: Bytes that are authenticated after the payload.
    func seal(
        _ payload: UnsafeRawBufferPointer, index: UInt64, ssrc: UInt32, header: UnsafeRawBufferPointer,
        trailer: UnsafeRawBufferPointer, to sealed: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer
    ) {
        var packet = apus_srtp_packet(ssrc: ssrc, index: index, header: header, trailer: trailer)
        _ = apus_srtp_seal(cipher, &packet, payload.start, payload.count, sealed.octets, tag.octets)
    }

    /// Writes the decrypted payload to `plain`. If the tag is wrong, writes zeros and returns false.
    func open(
        _ payload: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer, index: UInt64, ssrc: UInt32,
        header: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer, to plain: UnsafeMutableRawPointer
    ) -> Bool {
        guard tag.count == suite.tagByteCount else { return false }
        var packet = apus_srtp_packet(ssrc: ssrc, index: index, header: header, trailer: trailer)
        return apus_srtp_open(cipher, &packet, payload.start, payload.count, tag.start, plain.octets)
    }
}

extension CipherSuite {
    var mode: apus_srtp_mode { self == .gcm ? apus_srtp_gcm : apus_srtp_counter_mode }
}

extension apus_srtp_packet {
    fileprivate init(
        ssrc: UInt32, index: UInt64, header: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer
    ) {
        self.init(
            ssrc: ssrc, index: index, header: header.start, header_count: header.count, trailer: trailer.start,
            trailer_count: trailer.count)
    }
}

extension UnsafeRawBufferPointer {
    /// The start of the buffer as C takes it.
    fileprivate var start: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawPointer {
    fileprivate var octets: UnsafeMutablePointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}
