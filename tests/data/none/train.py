import json
import time

PREFIX = ":::MLLOG"


def event(key, kind, value=None):
    now = int(time.time() * 1000)
    print(PREFIX, json.dumps({"time_ms": now, "event_type": kind, "key": key, "value": value}))


def main():
    event("init_start", "INTERVAL_START")
    print("# gpu        pid  type    sm   mem   enc   dec   command")
    print("open(\"x\", O_RDONLY) = 3")
