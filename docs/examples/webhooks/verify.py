# pip install standardwebhooks; WEBHOOK_SECRET=whsec_… PORT=3000 python3 verify.py
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
# In production, use a unique key in your database, written together with what the event changes there.
handled = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The exact bytes that were signed: parsed and printed again they would be others.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            event = webhook.verify(body, dict(self.headers))
        except WebhookVerificationError:
            return self.answer(400, b"This is not from Webkiln, or it is older than five minutes.")
        if event["id"] not in handled:
            handled.add(event["id"])
            print("handled", event["type"], event["id"], flush=True)
        self.answer(204)

    def answer(self, status, text=b""):
        self.send_response(status)
        if text:
            self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
