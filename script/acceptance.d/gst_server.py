"""gst-rtsp-server with a live pipeline at /cam, from C by ctypes, because Debian's bindings are in a package of their own:
gst_server.py PORT LAUNCH."""
import ctypes, sys

Pointer = ctypes.c_void_p
gst, glib = ctypes.CDLL("libgstreamer-1.0.so.0"), ctypes.CDLL("libglib-2.0.so.0")
rtsp = ctypes.CDLL("libgstrtspserver-1.0.so.0")
for name in ("server_new", "server_get_mount_points", "media_factory_new"):
    getattr(rtsp, "gst_rtsp_" + name).restype = Pointer
glib.g_main_loop_new.restype = Pointer
gst.gst_init(None, None)
server, factory = Pointer(rtsp.gst_rtsp_server_new()), Pointer(rtsp.gst_rtsp_media_factory_new())
rtsp.gst_rtsp_server_set_service(server, sys.argv[1].encode())
rtsp.gst_rtsp_media_factory_set_launch(factory, sys.argv[2].encode())
rtsp.gst_rtsp_media_factory_set_shared(factory, 1)
rtsp.gst_rtsp_mount_points_add_factory(Pointer(rtsp.gst_rtsp_server_get_mount_points(server)), b"/cam", factory)
rtsp.gst_rtsp_server_attach(server, None)
glib.g_main_loop_run(Pointer(glib.g_main_loop_new(None, 0)))
