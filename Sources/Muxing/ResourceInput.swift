import CFFmpeg

/// Passes all that libavformat reads of a URL through a ``ResourceOpener``: the URL itself and what is named in it, such as the segments
/// of a playlist. libavformat opens nothing by itself. Confined to the demuxer's thread.
final class ResourceInput {
    /// A resource that libavformat reads.
    private final class Reader {
        let resource: any Resource
        private let note: (ResourceFailure) -> Void

        init(_ resource: any Resource, note: @escaping (ResourceFailure) -> Void) {
            (self.resource, self.note) = (resource, note)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> CInt {
            do throws(ResourceFailure) {
                let count = try resource.read(into: buffer)
                return count > 0 ? CInt(count) : apus_averror_eof
            } catch {
                note(error)
                return error.code
            }
        }
    }

    private let opener: any ResourceOpener
    private var readers: [UnsafeMutablePointer<AVIOContext>: Reader] = [:]
    /// The first failure: others only follow from it.
    private(set) var failure: ResourceFailure?
    /// Why the input itself can no longer be read. Resources that the input names do not count.
    private(set) var inputFailure: ResourceFailure?

    init(_ opener: any ResourceOpener) {
        self.opener = opener
    }

    deinit {
        for reader in readers.keys { apus_close_resource(reader) }
    }

    /// Makes a context read the resource at `url`. Keep this as long as the context.
    ///
    /// - Returns: whether it can be read.
    func open(_ url: String, for context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        do throws(ResourceFailure) {
            context.pointee.pb = try reader(of: opener.open(url, .whole, from: .input)) { [weak self] in
                self?.inputFailure = $0
            }
        } catch {
            note(error)
            return false
        }
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.io_open = { context, reader, url, _, options in
            guard let opaque = context?.pointee.opaque, let url else { return apus_averror_einval }
            let input = Unmanaged<ResourceInput>.fromOpaque(opaque).takeUnretainedValue()
            return input.open(String(cString: url), options?.pointee, into: reader)
        }
        context.pointee.io_close2 = { context, reader in
            guard let opaque = context?.pointee.opaque, let reader else { return 0 }
            Unmanaged<ResourceInput>.fromOpaque(opaque).takeUnretainedValue().close(reader)
            return 0
        }
        return true
    }

    private func note(_ failure: ResourceFailure) {
        self.failure = self.failure ?? failure
    }

    // MARK: Resources that are named in others

    /// libavformat opens a URL.
    private func open(
        _ url: String, _ options: OpaquePointer?, into reader: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?
    ) -> CInt {
        do throws(ResourceFailure) {
            reader?.pointee = try self.reader(of: resource(at: url, options))
            return 0
        } catch {
            note(error)
            return error.code
        }
    }

    private func close(_ reader: UnsafeMutablePointer<AVIOContext>) {
        apus_close_resource(reader)
        readers[reader] = nil
    }

    private func resource(at url: String, _ options: OpaquePointer?) throws(ResourceFailure) -> any Resource {
        func number(_ name: String) -> Int64? { Self.option(name, options).flatMap { Int64($0) } }
        let range = ResourceRange(start: max(0, number("offset") ?? 0), end: number("end_offset"))
        // Segments that are encrypted as a whole (RFC 8216, section 4.3.2.4). The demuxer gives their key.
        let prefix = "crypto+"
        guard url.hasPrefix(prefix) else { return try named(url, range) }
        guard let key = Self.option("key", options), let vector = Self.option("iv", options),
            let decryption = BlockDecryption(key: key, vector: vector)
        else { throw ResourceFailure("its key is malformed") }
        return DecryptedResource(try named(String(url.dropFirst(prefix.count)), range), decryption)
    }

    private func named(_ url: String, _ range: ResourceRange) throws(ResourceFailure) -> any Resource {
        guard DemuxerInput.isHTTP(url) else {
            let scheme = url.firstIndex(of: ":").map { String(url[..<$0].prefix(16)) } ?? "no"
            throw ResourceFailure("it names a URL of the scheme \(scheme), which is not followed")
        }
        return try opener.open(url, range, from: .resource)
    }

    private static func option(_ name: String, _ options: OpaquePointer?) -> String? {
        av_dict_get(options, name, nil, 0).flatMap { $0.pointee.value }.map { String(cString: $0) }
    }

    // MARK: Readers

    /// - Parameter failed: called with the reason if the resource can no longer be read.
    private func reader(
        of resource: any Resource, failed: @escaping (ResourceFailure) -> Void = { _ in }
    ) throws(ResourceFailure) -> UnsafeMutablePointer<AVIOContext> {
        let reader = Reader(resource) { [weak self] failure in
            self?.note(failure)
            failed(failure)
        }
        var calls = apus_resource_calls()
        calls.read = { owner, buffer, size in
            guard let owner, let buffer else { return apus_averror_einval }
            let reader = Unmanaged<Reader>.fromOpaque(owner).takeUnretainedValue()
            return reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
        }
        if resource.byteCount != nil {
            calls.seek = { owner, position in
                guard let owner, position >= 0 else { return Int64(apus_averror_einval) }
                Unmanaged<Reader>.fromOpaque(owner).takeUnretainedValue().resource.seek(to: position)
                return position
            }
            calls.size = { owner in
                owner.flatMap { Unmanaged<Reader>.fromOpaque($0).takeUnretainedValue().resource.byteCount } ?? -1
            }
        }
        let owner = Unmanaged.passUnretained(reader).toOpaque()
        guard let context = apus_open_resource(owner, calls, resource.location, resource.mediaType) else {
            throw ResourceFailure("out of memory", remedy: "add memory")
        }
        readers[context] = reader
        return context
    }
}

extension ResourceFailure {
    /// For libavformat.
    fileprivate var code: CInt { isInterruption ? apus_averror_exit : apus_averror_eacces }
}
