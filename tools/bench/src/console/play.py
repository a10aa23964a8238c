# Serves ClickHouse's page /play, and answers its statements by ClickHouse as a library. Prints its port.
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, urlparse

import chdb

page = open(sys.argv[1], "rb").read()
connection = chdb.connect(":memory:")
lock = Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if urlparse(self.path).path == "/play":
            self.answer(200, "text/html; charset=UTF-8", page)
        else:
            self.answer(404, "text/plain", b"")

    def do_POST(self):
        sql = self.rfile.read(int(self.headers["content-length"])).decode()
        form = parse_qs(urlparse(self.path).query).get("default_format", ["JSONCompact"])[0]
        try:
            with lock:
                body = connection.query(sql, form).bytes()
            self.answer(200, "application/json", body)
        except Exception as error:
            self.answer(500, "text/plain", str(error).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
