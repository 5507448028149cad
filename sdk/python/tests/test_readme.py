"""What the README shows."""

import base64
import hmac
import queue
import re
import runpy
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import uvicorn
from werkzeug.serving import make_server

from webkiln import Webkiln, types

blocks = re.findall(r"^```python\n(.*?)^```$", (Path(__file__).parent.parent / "README.md").read_text(), re.M | re.S)
receivers = [block for block in blocks if "app = " in block]


def signed_by(secret: str, body: bytes, at: float) -> dict[str, str]:
    """The headers of a request that was signed at another time."""
    event_id, timestamp = str(uuid4()), str(int(at))
    content = b".".join([event_id.encode(), timestamp.encode(), body])
    digest = hmac.digest(base64.b64decode(secret.removeprefix("whsec_")), content, "sha256")
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"webhook-id": event_id, "webhook-timestamp": timestamp, "webhook-signature": signature}


def module_of(source: str, folder: Path) -> dict[str, Any]:
    (folder / "app.py").write_text(source)
    return runpy.run_path(str(folder / "app.py"))


def served_by_flask(app: Any) -> tuple[int, Callable[[], None]]:
    server = make_server("127.0.0.1", 0, app)
    threading.Thread(target=server.serve_forever).start()
    return server.server_port, server.shutdown


def served_by_uvicorn(app: Any) -> tuple[int, Callable[[], None]]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)

    def stop() -> None:
        server.should_exit = True
        thread.join()

    return server.servers[0].sockets[0].getsockname()[1], stop


@pytest.mark.parametrize(("framework", "serve"), [("flask", served_by_flask), ("fastapi", served_by_uvicorn)])
def test_the_receivers_of_the_readme_accept_what_is_delivered_and_refuse_what_is_changed(
    framework: str, serve: Any, webkiln: Webkiln, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: queue.Queue[tuple[bytes, dict[str, str], types.WebhookEvent]] = queue.Queue()
    module = module_of(next(block for block in receivers if framework in block), tmp_path)
    verify = module["verify_webhook"]

    def noting(body: bytes, headers: Any, secret: str) -> types.WebhookEvent:
        event: types.WebhookEvent = verify(body, headers, secret)
        requests.put((body, dict(headers), event))
        return event

    module["receive"].__globals__["verify_webhook"] = noting
    port, stop = serve(module["app"])
    url = f"http://127.0.0.1:{port}/hooks/webkiln"
    try:
        webhook = webkiln.webhooks.create(url=url, events=["client.created"])
        monkeypatch.setenv("WEBHOOK_SECRET", webhook["secret"])
        client = webkiln.clients.create(email=f"{uuid4()}@example.test")
        # It may also receive what was raised shortly before it was made.
        received = iter(lambda: requests.get(timeout=30), None)
        body, headers = next(
            (body, headers)
            for body, headers, event in received
            if event["type"] == "client.created" and event["data"]["client"] == client
        )
        signed = {name.lower(): value for name, value in headers.items() if name.lower().startswith("webhook-")}
        accepted = [signed, signed_by(webhook["secret"], body, at=time.time() - 200)]
        assert [httpx2.post(url, content=body, headers=sent).status_code for sent in accepted] == [204] * 2
        changed = [
            (body.replace(b"invited", b"active"), signed),
            (body, signed_by(webhook["secret"], body, at=time.time() - 301)),
            (body, {**signed, "webhook-id": "another"}),
            (body, {**signed, "webhook-signature": "v1"}),
            (body, {**signed, "webhook-signature": "v1,a"}),
            (b"\xff", signed),
            (body, {}),
        ]
        assert [httpx2.post(url, content=content, headers=sent).status_code for content, sent in changed] == [400] * 7
    finally:
        stop()


def test_the_programs_of_the_readme_run_in_order(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "dist").mkdir()
    (site / "index.html").rename(site / "dist/index.html")
    monkeypatch.chdir(site)
    module_of("\n".join(block for block in blocks if block not in receivers), site)
    printed = capsys.readouterr().out
    for expected in [
        "invited",
        "http",
        "Byron & Daughters",
        "Ada is a client already.",
        "requests left",
        "@example.com",
    ]:
        assert expected in printed
