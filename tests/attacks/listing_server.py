"""An MCP server that lists what a file says, to the byte, and reads it anew for every request."""

import json
import sys
from pathlib import Path

NAME, FILE = sys.argv[1], Path(sys.argv[2])
ASKED = FILE.with_suffix(".asked")
"""The methods that it was asked for, a line each."""
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def send(text):
    sys.stdout.write(text.replace("\n", " ") + "\n")
    sys.stdout.flush()


def write_page(said, kind, cursor):
    pages = said.get(kind) or [[]]
    at = int(cursor or 0)
    more = f',"nextCursor":"{at + 1}"' if at + 1 < len(pages) else said.get("raw_more", "")
    return f'{{"{kind}":[{",".join(pages[at])}]{more}}}'


def answer(method, params):
    said = json.loads(FILE.read_text())
    if method == "initialize":
        about = json.dumps({"name": NAME, "version": "1"})
        told = json.dumps(said["instructions"]) if "instructions" in said else ""
        more = f',"instructions":{said.get("raw_instructions") or told}' if told else ""
        version = json.dumps(params["protocolVersion"])
        able = '{"tools":{"listChanged":true},"prompts":{},"resources":{}}'
        return f'{{"protocolVersion":{version},"capabilities":{able},"serverInfo":{about}{more}}}'
    if method in LISTS:
        return write_page(said, LISTS[method], params.get("cursor"))
    if method == "tools/call":
        text = f"{NAME}:{params['name']}"
        return json.dumps({"content": [{"type": "text", "text": text}], "isError": False})
    if method == "prompts/get":
        words = {"type": "text", "text": f"{NAME}:{params['name']}"}
        return json.dumps({"messages": [{"role": "user", "content": words}]})
    if method == "resources/read":
        return json.dumps({"contents": [{"uri": params["uri"], "text": f"from {NAME}"}]})
    return "{}"


def find_error(method):
    return json.loads(FILE.read_text()).get("errors", {}).get(LISTS.get(method))


for line in sys.stdin:
    message = json.loads(line)
    with ASKED.open("a") as asked:
        asked.write(message.get("method", "") + "\n")
    if error := find_error(message.get("method")):
        send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}))
    elif "id" in message:
        result = answer(message["method"], message.get("params") or {})
        send(f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{result}}}')
        if (message.get("params") or {}).get("name") == "shout":
            send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
