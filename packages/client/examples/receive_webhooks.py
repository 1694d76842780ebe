"""Receives webhooks in Python. Needs `pip install standardwebhooks`.

    PINKAS_WEBHOOK_SECRET=whsec_... PORT=3000 python3 packages/client/examples/receive_webhooks.py
"""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["PINKAS_WEBHOOK_SECRET"])
handled = set()  # a program that may restart keeps these in its database


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            self.send_response(401)
        else:
            if event["id"] not in handled:
                handled.add(event["id"])
                number = event["data"].get("document", {}).get("number", "")
                print(event["type"], number, event["id"], flush=True)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
