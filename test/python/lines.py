"""Requests and answers of a test: each is one line of JSON on stdin or stdout."""

import asyncio
import json
import os
import sys
import threading


def write(message):
    print(json.dumps(message), flush=True)


class Requests:
    def __init__(self):
        self.arrived = asyncio.Queue()
        threading.Thread(target=self.pump, args=(asyncio.get_running_loop(),), daemon=True).start()

    def pump(self, loop):
        for line in sys.stdin:
            loop.call_soon_threadsafe(self.arrived.put_nowait, json.loads(line))
        # The test has ended, perhaps while a call waits for a person.
        os._exit(0)

    async def next(self):
        return await self.arrived.get()
