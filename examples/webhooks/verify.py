# pip install webkiln; WEBHOOK_SECRET=whsec_… PORT=3000 python3 verify.py
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webkiln import WebhookVerificationError, types, verify_webhook

# In production, use a unique key in your database, written together with what the event changes there.
handled: set[str] = set()


def handle(event: types.WebhookEvent) -> None:
    print("handled", event["type"], event["id"], flush=True)
    if event["type"] == "client.created":
        print("A new client:", event["data"]["client"]["name"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # The exact bytes that were signed: parsed and printed again they would be others.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            event = verify_webhook(body, self.headers, os.environ["WEBHOOK_SECRET"])
        except WebhookVerificationError:
            return self.answer(400, b"This is not from Webkiln, or it is older than five minutes.")
        if event["id"] not in handled:
            handled.add(event["id"])
            handle(event)
        return self.answer(204)

    def answer(self, status: int, text: bytes = b"") -> None:
        self.send_response(status)
        if text:
            self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
