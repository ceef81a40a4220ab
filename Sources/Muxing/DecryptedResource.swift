import CFFmpeg

/// AES with 128 bits in CBC mode, for one resource.
final class BlockDecryption {
    static let blockByteCount = 16
    private let state: OpaquePointer
    private var vector: [UInt8]

    /// `nil` unless both have 32 hexadecimal digits.
    init?(key: String, vector: String) {
        guard let key = Self.bytes(key), let vector = Self.bytes(vector), let state = av_aes_alloc() else { return nil }
        (self.state, self.vector) = (state, vector)
        av_aes_init(state, key, 128, 1)
    }

    deinit { av_free(UnsafeMutableRawPointer(state)) }

    /// Decrypts whole blocks, each of which follows the one before.
    func decrypt(_ blocks: [UInt8]) -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: blocks.count)
        av_aes_crypt(state, &plain, blocks, CInt(blocks.count / Self.blockByteCount), &vector, 1)
        return plain
    }

    private static func bytes(_ digits: String) -> [UInt8]? {
        guard digits.utf8.count == 2 * blockByteCount else { return nil }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

/// A resource that is encrypted as a whole and filled up to whole blocks (PKCS #7).
final class DecryptedResource: Resource {
    private let resource: any Resource
    private let decryption: BlockDecryption
    /// Bytes that are not decrypted yet.
    private var encrypted: [UInt8] = []
    /// Bytes that are not read yet.
    private var plain: ArraySlice<UInt8> = []
    private var hasEnded = false
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)

    init(_ resource: any Resource, _ decryption: BlockDecryption) {
        (self.resource, self.decryption) = (resource, decryption)
    }

    deinit { scratch.deallocate() }

    var location: String { resource.location }
    var mediaType: String { resource.mediaType }
    /// Blocks depend on those before.
    var byteCount: Int64? { nil }

    func seek(to position: Int64) {}

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ResourceFailure) -> Int {
        while plain.isEmpty, !hasEnded { try decryptMore() }
        let count = min(buffer.count, plain.count)
        for offset in 0..<count { buffer[offset] = plain[plain.startIndex + offset] }
        plain.removeFirst(count)
        return count
    }

    private func decryptMore() throws(ResourceFailure) {
        let count = try resource.read(into: scratch)
        encrypted += scratch[..<count]
        hasEnded = count == 0
        // The last block tells how much was filled up, so it waits for the end.
        let block = BlockDecryption.blockByteCount
        let ready = hasEnded ? encrypted.count / block * block : max(0, encrypted.count - 1) / block * block
        guard ready > 0 else { return }
        var decrypted = decryption.decrypt(Array(encrypted[..<ready]))
        encrypted.removeFirst(ready)
        if hasEnded, let padding = decrypted.last, (1...block).contains(Int(padding)) {
            decrypted.removeLast(Int(padding))
        }
        plain = decrypted[...]
    }
}
