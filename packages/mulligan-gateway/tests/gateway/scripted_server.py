"""An MCP server of a few lines and no library, which also misbehaves as its tests need."""

import json
import os
import signal
import sys
import time
from pathlib import Path

LEDGER = os.environ.get("LEDGER", "")
TOOLS = {
    "add": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "echo": {"value": {}},
    "raw": {"text": {"type": "string"}},
    "fail": {"why": {"type": "string"}},
    "refuse": {},
    "write": {"name": {"type": "string"}},
    "die": {},
    "hang": {},
    "garble": {},
    "long": {},
    "sample": {},
    "elicit": {},
    "progress": {"steps": {"type": "integer"}},
    "environment": {},
    "shout": {},
}
if os.environ.get("ORDERS"):
    TOOLS["find_order"] = {"order_id": {"type": "string"}}
waiting = {}
LAST = 0
SHOUTED = []
"""A tool that comes late is listed once this is not empty."""


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def send_raw(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def ask(method, params, then):
    global LAST
    LAST += 1
    waiting[f"ask-{LAST}"] = then
    send(id=f"ask-{LAST}", method=method, params=params)


def note(what):
    if LEDGER:
        with Path(LEDGER).open("a") as file:
            file.write(what + "\n")


def tell(key, value, **more):
    text = value if isinstance(value, str) else json.dumps(value)
    send(id=key, result={"content": [{"type": "text", "text": text}], **more})


def call(key, name, arguments, meta):  # noqa: C901
    if name == "add":
        total = arguments["a"] + arguments["b"]
        tell(key, str(total), structuredContent={"result": total}, isError=False)
    elif name == "echo":
        tell(key, {"got": arguments, "meta": meta})
    elif name == "raw":
        send_raw(f'{{"jsonrpc":"2.0","id":{json.dumps(key)},"result":{arguments["text"]}}}')
    elif name == "find_order":
        found = arguments["order_id"].startswith("#")
        said = "found" if found else f"Order {arguments['order_id']} does not exist"
        tell(key, said, isError=not found)
    elif name == "fail":
        tell(key, arguments["why"], isError=True, odd={"z": 1, "a": 2})
    elif name == "refuse":
        send(id=key, error={"code": -32050, "message": "Not today.", "data": {"why": "rain"}})
    elif name == "write":
        note(arguments["name"])
        tell(key, "written")
    elif name == "sample":
        asked = {"messages": [], "maxTokens": 5, "_meta": {"progressToken": "mine"}}
        ask("sampling/createMessage", asked, lambda answer: tell(key, answer))
    elif name == "ask_long":
        ask("sampling/createMessage", {"x": "x" * 30_000}, lambda answer: tell(key, answer))
    elif name == "elicit":
        ask(
            "elicitation/create",
            {"message": "Well?", "requestedSchema": {"type": "object"}},
            lambda answer: tell(key, answer),
        )
    elif name == "progress":
        for step in range(arguments["steps"]):
            params = {"progressToken": meta["progressToken"], "progress": step + 1}
            send(method="notifications/progress", params=params)
        tell(key, "done")
    elif name == "environment":
        tell(key, dict(os.environ))
    elif name == "shout":
        SHOUTED.append(key)
        send(method="notifications/message", params={"level": "info", "data": "hey"})
        send(method="notifications/tools/list_changed")
        tell(key, "shouted")
    elif not come_to_harm(key, name, arguments):
        send(id=key, error={"code": -32602, "message": f"Unknown tool: {name}"})


def come_to_harm(key, name, arguments):
    """What no server means to do; false: it was not asked for that."""
    if name == "die":
        note("die")
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "hang":
        note("hang")
    elif name == "garble":
        send_raw(f'{{"jsonrpc": "2.0", "id": {json.dumps(key)}, "result": {{"content": [}}}}')
        send_raw("Loading model... done.")
        send_raw("\x00\x01{]")
    elif name == "long":
        result = {"x": "x" * arguments.get("size", 6_000_000)}
        send(
            **(
                {"result": result, "id": key}
                if arguments.get("id_last")
                else {"id": key, "result": result}
            )
        )
    else:
        return False
    return True


def list_tools(cursor):
    names = list(TOOLS)
    start = int(cursor or 0)
    page = [
        {"name": name, "inputSchema": {"type": "object", "properties": TOOLS[name]}, "x-odd": [1]}
        for name in names[start : start + 8]
    ]
    if os.environ.get("TWIN"):
        page.append({**page[0], "name": os.environ["TWIN"]})
    if os.environ.get("DESCRIBED"):
        page[0]["description"] = os.environ["DESCRIBED"]
    if os.environ.get("HINTED"):
        page[0]["annotations"] = {"readOnlyHint": True}
    for tool in page:
        if tool["name"] == os.environ.get("DESTROYS"):
            tool["annotations"] = {"destructiveHint": True}
    if not SHOUTED:
        page = [tool for tool in page if tool["name"] != os.environ.get("LATE")]
    more = {"nextCursor": str(start + 8)} if start + 8 < len(names) else {}
    return {"tools": page, **more}


PROBED = []
VERSION = "io.modelcontextprotocol/protocolVersion"


def greet(key, method, params):
    """As the SDKs of the revision without sessions: the first request decides for all others."""
    able = {"capabilities": {"tools": {}}}
    if method == "server/discover":
        PROBED.append(key)
        send(id=key, result={**able, "supportedVersions": ["2026-07-28"]})
    elif PROBED or os.environ["MODERN"] == "only":
        wanted = {"supported": ["2026-07-28"], "requested": params["protocolVersion"]}
        send(id=key, error={"code": -32022, "message": "Unsupported version.", "data": wanted})
    else:
        said = {"protocolVersion": params["protocolVersion"], **able}
        send(id=key, result={**said, "serverInfo": {"name": "scripted", "version": "2"}})


def elicit_within(key, params):
    """As in the revision without sessions: a question in the place of an answer."""
    if "inputResponses" in params:
        said = {"said": params["inputResponses"], "state": params["requestState"]}
        tell(key, said, resultType="complete")
        return
    asked = {"message": "Well?", "requestedSchema": {"type": "object"}}
    requests = {"one": {"method": "elicitation/create", "params": asked}}
    result = {"resultType": "input_required", "inputRequests": requests, "requestState": "s-1"}
    send(id=key, result=result)


def take(message):  # noqa: C901
    key, method = message.get("id"), message.get("method")
    params = message.get("params") or {}
    if method is None:
        waiting.pop(key)(message.get("result") or message.get("error"))
    elif os.environ.get("MODERN") and method in ("initialize", "server/discover"):
        greet(key, method, params)
    elif key is None and os.environ.get("MODERN") == "only":
        note(method)
    elif PROBED and VERSION not in (params.get("_meta") or {}):
        send(id=key, error={"code": -32600, "message": "Every request names its revision here."})
    elif method == "initialize":
        able = {"tools": {"listChanged": True}, "resources": {}, "prompts": {}, "completions": {}}
        said = {"protocolVersion": params["protocolVersion"], "capabilities": able}
        send(id=key, result={**said, "serverInfo": {"name": "scripted", "version": "1"}})
    elif method == "tools/list":
        send(id=key, result=list_tools(params.get("cursor")))
    elif params.get("name") == "elicit" and VERSION in (params.get("_meta") or {}):
        elicit_within(key, params)
    elif method == "tools/call":
        call(key, params["name"], params.get("arguments") or {}, params.get("_meta"))
    elif method == "resources/list":
        name = os.environ.get("SERVER_NAME", "one")
        send(id=key, result={"resources": [{"uri": f"memo://{name}/1", "name": "first"}]})
    elif method == "resources/read":
        send(id=key, result={"contents": [{"uri": params["uri"], "text": f"read {params['uri']}"}]})
    elif method == "prompts/list":
        send(id=key, result={"prompts": [{"name": "greet"}]})
    elif method == "prompts/get":
        said = {"role": "user", "content": {"type": "text", "text": params["name"]}}
        send(id=key, result={"messages": [said]})
    elif method == "completion/complete":
        send(id=key, result={"completion": {"values": [params["ref"].get("name", "")]}})
    elif method == "subscriptions/listen":
        meta = {"io.modelcontextprotocol/subscriptionId": key}
        send(method="notifications/subscriptions/acknowledged", params={"_meta": meta})
    elif method == "ping":
        send(id=key, result={})
    elif method == "odd/method":
        send(id=key, result={"odd": params, "n": 1.50})
    elif key is not None:
        send(id=key, error={"code": -32601, "message": "Method not found"})
    else:
        note(method)


while os.environ.get("STARTS_WITH") and not Path(os.environ["STARTS_WITH"]).exists():
    time.sleep(0.01)
for line in sys.stdin:
    try:
        message = json.loads(line)
    except ValueError:
        note("unreadable")
        continue
    try:
        take(message)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(message, dict) and "method" in message and "id" in message:
            send(id=message["id"], error={"code": -32602, "message": repr(error)})
