# SPDX-License-Identifier: GPL-2.0-or-later
"""A local server of chat completions that answers well, late, in haste, half, or with what is no JSON."""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROMPT_TOKENS, CACHED_TOKENS, ANSWER_TOKENS, THINKING_TOKENS = 100, 40, 30, 10


class Server(ThreadingHTTPServer):
    """Serves `answers` (prompt -> text); `trouble` (prompt -> list of names) is met one after the other first."""

    daemon_threads = True

    def __init__(self, answers, trouble=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.trouble = dict(answers), {p: list(t) for p, t in (trouble or {}).items()}
        self.asked, self.bodies, self.lock = Counter(), [], threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """Clients that gave up are expected."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with self.server.lock:
            self.server.asked[prompt] += 1
            self.server.bodies.append(body)
            left = self.server.trouble.get(prompt, [])
            what = left.pop(0) if left else "well"
        getattr(self, f"do_{what}")(self.server.answers[prompt])

    def do_well(self, text, stop="stop"):
        usage = {
            "prompt_tokens": PROMPT_TOKENS,
            "completion_tokens": ANSWER_TOKENS,
            "total_tokens": PROMPT_TOKENS + ANSWER_TOKENS,
            "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
            "completion_tokens_details": {"reasoning_tokens": THINKING_TOKENS},
        }
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": stop}
        self.send(
            200,
            {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage},
        )

    def do_slow(self, text):
        time.sleep(7)
        self.do_well(text)

    def do_haste(self, text):
        self.send(429, {"error": {"message": "too many requests", "type": "rate_limit_error"}}, {"Retry-After": "0"})

    def do_broken(self, text):
        self.send(500, {"error": {"message": "broken", "type": "server_error"}}, {"x-should-retry": "false"})

    def do_refused(self, text):
        self.send(401, {"error": {"message": "no such key", "type": "invalid_request_error"}})

    def do_cut(self, text):
        """The line goes dead in the midst of a body."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b'{"id": "1", "choices": [')
        self.wfile.flush()
        self.close_connection = True

    def do_half(self, text):
        """The answer is longer than the limit of tokens."""
        self.do_well(text[: len(text) // 2], "length")

    def do_prose(self, text):
        self.do_well("I would rather not say.")

    def do_garbage(self, text):
        """A body that is no JSON."""
        self.send(200, None, raw=b"<html>Bad gateway</html>")

    def send(self, status, value, headers=None, raw=None):
        data = json.dumps(value).encode() if raw is None else raw
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words):
        """Quiet."""
