import Foundation
import TestSupport

/// gst-rtsp-server with one live pipeline for all clients, as a camera. It is called from C by Python's ctypes, because Debian's bindings
/// are in a package of their own.
enum GStreamerServer {
    private static let script = """
        import ctypes, sys
        P = ctypes.c_void_p
        gst, glib = ctypes.CDLL("libgstreamer-1.0.so.0"), ctypes.CDLL("libglib-2.0.so.0")
        rtsp = ctypes.CDLL("libgstrtspserver-1.0.so.0")
        if len(sys.argv) < 3: sys.exit(0)
        for name in ("server_new", "server_get_mount_points", "media_factory_new"):
            getattr(rtsp, "gst_rtsp_" + name).restype = P
        glib.g_main_loop_new.restype = P
        gst.gst_init(None, None)
        server, factory = P(rtsp.gst_rtsp_server_new()), P(rtsp.gst_rtsp_media_factory_new())
        rtsp.gst_rtsp_server_set_address(server, b"127.0.0.1")
        rtsp.gst_rtsp_server_set_service(server, sys.argv[1].encode())
        rtsp.gst_rtsp_media_factory_set_launch(factory, sys.argv[2].encode())
        rtsp.gst_rtsp_media_factory_set_shared(factory, 1)
        points = P(rtsp.gst_rtsp_server_get_mount_points(server))
        rtsp.gst_rtsp_mount_points_add_factory(points, b"/cam", factory)
        rtsp.gst_rtsp_server_attach(server, None)
        print("listening", flush=True)
        glib.g_main_loop_run(P(glib.g_main_loop_new(None, 0)))
        """

    /// Runs `body` with the URL of a server; without Python or GStreamer's server, it does nothing.
    ///
    /// - Parameter pipeline: with payloaders named `pay0`, `pay1` …
    static func serving(_ pipeline: String, _ body: (_ url: String) async throws -> Void) async throws {
        let probe = try? await Command.run(["python3", "-c", script])
        guard probe?.status == 0 else { return }
        let port = try LoopbackSocket.freePort()
        let server = try Command(["python3", "-c", script, "\(port)", "( \(pipeline) )"], in: "/")
        defer { server.signal(SIGKILL) }
        guard await eventually(within: 20, { server.outputByteCount > 0 }) else {
            throw Command.Failure.cannotStart(server.errors)
        }
        try await body("rtsp://127.0.0.1:\(port)/cam")
    }
}
