"""A relay in front of a server, for one client, that notes when the client's first packet came."""
import socket
import threading
import time


class Door:
    """Passes one connection of TCP on, or the datagrams of one client of UDP. Keeps what a client of TCP has sent if it `records`."""

    def __init__(self, port, is_udp=False, records=False):
        self.server, self.opened_at = ("127.0.0.1", port), None
        self.recording = bytearray() if records else None
        kind = socket.SOCK_DGRAM if is_udp else socket.SOCK_STREAM
        self.outside = socket.socket(socket.AF_INET, kind)
        self.outside.bind(("127.0.0.1", 0))
        self.port = self.outside.getsockname()[1]
        if not is_udp:
            self.outside.listen()
        threading.Thread(target=self.pass_datagrams if is_udp else self.pass_connection, daemon=True).start()

    def pass_connection(self):
        client, _ = self.outside.accept()
        self.opened_at = time.monotonic()
        self.outside.close()
        server = socket.create_connection(self.server)
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.copy, args=(server, client), daemon=True).start()
        self.copy(client, server, self.recording)

    @staticmethod
    def copy(source, sink, recording=None):
        try:
            while data := source.recv(65536):
                if recording is not None:
                    recording += data
                sink.sendall(data)
                # Players leave Nagle's algorithm on: each of their commands would wait for a delayed acknowledgement of this relay.
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        except OSError:
            pass
        # The other direction ends, too.
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def pass_datagrams(self):
        inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        inside.connect(self.server)
        data, client = self.outside.recvfrom(65536)
        self.opened_at = time.monotonic()
        inside.send(data)

        def back():
            while True:
                try:
                    self.outside.sendto(inside.recv(65536), client)
                except OSError:
                    return

        threading.Thread(target=back, daemon=True).start()
        while True:
            try:
                inside.send(self.outside.recv(65536))
            except OSError:
                return
