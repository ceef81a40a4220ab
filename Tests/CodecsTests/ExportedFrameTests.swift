import CFFmpeg
import Glibc
import TestSupport
import Testing

@testable import Codecs

@Suite struct ExportedFrameTests {
    /// The owner of the memory, which may reuse it after the last reference is gone.
    private final class Owner {}

    /// A driver would export a DMABUF; this test uses a file.
    private static func buffer() -> DMABuffer {
        let descriptor = anonymousFile()
        #expect(ftruncate(descriptor, 8192) == 0)
        return DMABuffer(owning: descriptor, byteCount: 8192)
    }

    private static func exportedFrame(_ owner: Owner = Owner()) -> ExportedFrame {
        ExportedFrame(
            in: buffer(), width: 64, height: 48, luma: .init(offset: 128, stride: 80),
            chroma: .init(offset: 128 + 80 * 48, stride: 80), owner: owner)
    }

    @Test func theDescriptorIsClosedWithItsBuffer() throws {
        var ends: [CInt] = [0, 0]
        // SOCK_CLOEXEC is O_CLOEXEC: no child process keeps it open.
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) == 0)
        var buffer: DMABuffer? = DMABuffer(owning: ends[1], byteCount: 1)
        #expect(buffer?.byteCount == 1)
        buffer = nil
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 0, "the other end is closed")
        close(ends[0])
    }

    @Test func libavSeesOneLinearObjectWithTwoPlanes() throws {
        let exported = Self.exportedFrame()
        let reference = try exported.frame()
        defer { withExtendedLifetime(reference) {} }
        let frame = reference.pointer.pointee
        #expect(frame.format == AV_PIX_FMT_DRM_PRIME.rawValue)
        #expect((frame.width, frame.height) == (64, 48))
        let description = try #require(UnsafeRawPointer(frame.data.0)).load(as: AVDRMFrameDescriptor.self)
        #expect((description.nb_objects, description.nb_layers) == (1, 1))
        #expect(description.objects.0.fd == exported.buffer.descriptor)
        #expect(description.objects.0.size == 8192)
        #expect(description.objects.0.format_modifier == 0)
        let layer = description.layers.0
        #expect(layer.format == 0x3231_564E, "DRM_FORMAT_NV12")
        #expect(layer.nb_planes == 2)
        #expect((layer.planes.0.object_index, layer.planes.0.offset, layer.planes.0.pitch) == (0, 128, 80))
        #expect((layer.planes.1.object_index, layer.planes.1.offset, layer.planes.1.pitch) == (0, 3968, 80))
    }

    @Test func theOwnerIsKeptUntilTheLastReferenceIsGone() throws {
        var owner = Owner()
        var frame: FrameReference? = try Self.exportedFrame(owner).frame()
        var other = try frame?.newReference()
        frame = nil
        #expect(!isKnownUniquelyReferenced(&owner))
        #expect(other != nil)
        other = nil
        #expect(isKnownUniquelyReferenced(&owner))
    }

    /// On a machine without a VAAPI driver, libav and libva run until they need the driver.
    @Test func aFrameRejectedByVAAPIFailsAndIsReleased() throws {
        var device = av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_VAAPI)
        defer { av_buffer_unref(&device) }
        let unopened = try #require(device, "libavutil with VAAPI, as Debian has it")
        let surfaces = try SurfacePool(
            of: unopened, AV_HWDEVICE_TYPE_VAAPI, format: AV_PIX_FMT_VAAPI, width: 64, height: 48)
        #expect(surfaces.importsFrames)
        var owner = Owner()
        let failure = #expect(throws: CodecFailure.self) {
            try CodecLog.capturing("h264_vaapi") { () throws(CodecFailure) in
                try surfaces.imported(Self.exportedFrame(owner))
            }
        }
        #expect(failure?.reason.contains("DRM object") == true, "\(failure?.reason ?? "")")
        #expect(isKnownUniquelyReferenced(&owner))
    }

    @Test func anEncoderWithoutImportContinuesAfterRejectingAnExportedFrame() throws {
        var settings = smallSettings()
        (settings.width, settings.height, settings.encoder) = (64, 48, "libx264")
        let encoder = try VideoEncoder(settings)
        #expect(!encoder.importsFrames)
        #expect(throws: CodecFailure.self) {
            try encoder.encode(
                Self.exportedFrame(), track: .init(0), presentationTime: time(0), forcingKeyframe: true)
        }
        #expect(try encoder.encode(0..<3).map(\.isKeyframe) == [true, false, false])
    }
}
