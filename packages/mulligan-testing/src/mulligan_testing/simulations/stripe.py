"""Stripe in test mode: forms, idempotency keys, and payments that no request takes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec.structs import replace

from mulligan_testing.simulations.core import (
    ApiAnswer,
    ApiRequest,
    Refused,
    ServiceFault,
    Simulation,
    State,
    Thing,
    require,
    route,
)

HOME, SCRATCH = "cus_home", "cus_scratch"
KINDS = {
    "customers": ("cus", "customer"),
    "products": ("prod", "product"),
    "prices": ("price", "price"),
    "coupons": ("coupon", "coupon"),
    "invoiceitems": ("ii", "invoiceitem"),
    "invoices": ("in", "invoice"),
    "payment_intents": ("pi", "payment_intent"),
    "payment_methods": ("pm", "payment_method"),
    "subscriptions": ("sub", "subscription"),
}
"""By its path, what an id of each begins with, and what it is called."""
FIELDS: dict[str, Thing] = {
    "customers": {
        "name": None, "email": None, "phone": None, "description": None, "balance": 0,
        "default_source": None, "invoice_settings": {"default_payment_method": None},
    },
    "products": {"name": None, "description": None, "active": True, "url": None},
    "prices": {
        "product": None, "currency": None, "unit_amount": None, "nickname": None, "active": True,
    },
    "coupons": {"name": None, "percent_off": None, "duration": "once", "times_redeemed": 0},
    "invoiceitems": {
        "customer": None, "amount": None, "currency": None, "description": None, "invoice": None,
    },
    "invoices": {
        "customer": None, "description": None, "footer": None, "auto_advance": False,
        "status": "draft", "status_transitions": {"finalized_at": None},
    },
    "payment_intents": {
        "amount": None, "currency": None, "customer": None, "description": None,
        "status": "requires_payment_method", "latest_charge": None,
    },
    "payment_methods": {"type": "card", "customer": None},
    "subscriptions": {"customer": None, "status": "active", "cancel_at_period_end": False},
}  # fmt: skip
"""What each has, as it is where nothing was said."""


class Stripe(Simulation):
    """An account in test mode with two customers."""

    base = "/v1"
    pages = "https://docs.stripe.com"
    simulates: ClassVar[Mapping[str, str]] = {
        "bodies that are forms, objects that have no version": "api",
        "keys, by which a request is made once, and a 500 stays one": "api/idempotent_requests",
        "a key with other parameters is refused": "api/idempotent_requests",
        "fields that a change does not name stay, empty ones are unset": "api/customers/update",
        "keys of metadata that a change does not name stay": "api/metadata",
        "customers that are deleted for good, and say so": "api/customers/delete",
        "products with prices, which cannot be deleted": "api/products/delete",
        "prices that can be archived and not deleted": "api/prices/update",
        "drafts of invoices that can be deleted, and no others": "api/invoices/delete",
        "payments that can be canceled until they are made": "api/payment_intents/cancel",
        "mail to whom an invoice is sent": "api/invoices/send",
        "429 by rate limits": "rate-limits",
    }
    differences: ClassVar[Mapping[str, str]] = {
        "no-keys": "keys are ignored",
        "lag": "reads show what was there before the last write",
        "forgets": "a change clears what it does not name",
    }

    def __init__(self, *, differs: frozenset[str] = frozenset()) -> None:
        super().__init__(differs=differs)
        self._answers: dict[str, tuple[ApiRequest, ApiAnswer]] = {}
        """By their keys, the answers that were given."""

    def build_state(self) -> State:
        """Two customers."""
        state: State = {kind: {} for kind in KINDS}
        for name, called in ((HOME, "Grandma"), (SCRATCH, "Scratch")):
            state["customers"][name] = {**_make("customers", name), "name": called}
        return state

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As Stripe says it."""
        limited = refused.reason == "rateLimitExceeded"
        kind = (
            "idempotency_error"
            if refused.reason == "idempotency_error"
            else "invalid_request_error"
        )
        code = "rate_limit" if limited else refused.reason
        return ApiAnswer(
            status=refused.status,
            body={"error": {"type": kind, "code": code, "message": str(refused)}},
            headers={"Stripe-Should-Retry": "true"} if limited else {},
        )

    def list_left(self) -> list[object]:
        """What is there of what can be cleared away."""
        gone = {"status": ("canceled",), "active": (False,), "deleted": (True,)}
        return [
            name
            for things in self.state.values()
            for name, thing in things.items()
            if not any(thing.get(field) in values for field, values in gone.items())
            and name not in (HOME, SCRATCH)
        ]

    def _write(self, request: ApiRequest, fault: ServiceFault | None) -> ApiAnswer:
        answer = super()._write(request, fault)
        key = request.headers.get("idempotency-key", "")
        if fault is ServiceFault.BROKEN_AFTER and self._answers.get(key, (None,))[0] is request:
            self._answers[key] = (request, answer)
        return answer

    def _apply(self, request: ApiRequest) -> ApiAnswer:
        key = request.headers.get("idempotency-key")
        if not key or request.method != "POST" or "no-keys" in self.differs:
            return super()._apply(request)
        if key not in self._answers:
            answer = super()._apply(request)
            if answer.status < 300:
                self._answers[key] = (request, answer)
            return answer
        first, answer = self._answers[key]
        if (first.path, first.body) != (request.path, request.body):
            said = "Keys can only be used with the same parameters they were first used with."
            return self.describe_error(Refused(400, "idempotency_error", said))
        return replace(answer, headers={"Idempotent-Replayed": "true"})

    @route("GET", "/{kind}")
    def list(self, request: ApiRequest, state: State) -> Thing:
        """Those of a customer."""
        kind, customer = _get_kind(request), request.query.get("customer")
        found = [each for each in state[kind].values() if each.get("customer") == customer]
        return {"object": "list", "data": found, "has_more": False}

    @route("POST", "/{kind}")
    def create(self, request: ApiRequest, state: State) -> Thing:
        """A new one."""
        kind, given = _get_kind(request), unfold(request.body or {})
        self.serial += 1
        name = f"{KINDS[kind][0]}_{self.serial:08d}"
        if "customer" in given:
            _find(state, "customers", given["customer"])
        thing = _make(kind, name)
        confirm = given.pop("confirm", None) == "true"
        self._set(kind, thing, given)
        state[kind][name] = thing
        if confirm:
            thing |= {"status": "succeeded", "latest_charge": f"ch_{name}"}
        return _show(state, thing)

    @route("GET", "/{kind}/{name}")
    def get(self, request: ApiRequest, state: State) -> Thing:
        """One of them; a customer that was deleted says so."""
        kind, name = _get_kind(request), request.names["name"]
        return _show(state, _require(kind, name, state[kind].get(name)))

    @route("POST", "/{kind}/{name}")
    def update(self, request: ApiRequest, state: State) -> Thing:
        """Some fields."""
        kind, name = _get_kind(request), request.names["name"]
        thing = _find(state, kind, name)
        if kind == "payment_intents" and thing["status"] in ("succeeded", "canceled"):
            raise Refused(400, "payment_intent_unexpected_state")
        if "forgets" in self.differs:
            thing["metadata"] = {}
        self._set(kind, thing, unfold(request.body or {}))
        return _show(state, thing)

    @route("DELETE", "/{kind}/{name}")
    def delete(self, request: ApiRequest, state: State) -> Thing:
        """For good, where it can be."""
        kind, name = _get_kind(request), request.names["name"]
        thing = _find(state, kind, name)
        priced = [each for each in state["prices"].values() if each["product"] == name]
        if kind not in ("customers", "products", "coupons", "invoiceitems", "invoices"):
            raise Refused(404, "resource_missing", f"No DELETE of a {KINDS[kind][1]}")
        if priced or thing.get("status", "draft") != "draft":
            raise Refused(400, "resource_in_use", "This cannot be deleted.")
        said = {"id": name, "object": thing["object"], "deleted": True}
        if kind == "customers":
            state[kind][name] = said
            for each in state["subscriptions"].values():
                if each["customer"] == name:
                    each["status"] = "canceled"
        else:
            del state[kind][name]
        return said

    @route("POST", "/{kind}/{name}/{work}")
    def work(self, request: ApiRequest, state: State) -> Thing:
        """What is done with a payment or an invoice."""
        kind, name = _get_kind(request), request.names["name"]
        thing, work = _find(state, kind, name), request.names["work"]
        if work == "cancel" and thing["status"] == "succeeded":
            raise Refused(400, "payment_intent_unexpected_state")
        done: dict[str, Thing] = {
            "cancel": {"status": "canceled"},
            "confirm": {"status": "succeeded", "latest_charge": f"ch_{name}"},
            "finalize": {"status": "open", "status_transitions": {"finalized_at": 1}},
            "pay": {"status": "paid"},
            "void": {"status": "void"},
            "send": {"status": "open", "status_transitions": {"finalized_at": 1}},
        }
        if work not in done:
            raise Refused(404, "resource_missing")
        if work == "send":
            self.told.append(thing["customer"])
        thing |= done[work]
        return _show(state, thing)

    def _set(self, kind: str, thing: Thing, given: Thing) -> None:
        for name, value in given.items():
            if name == "metadata":
                merged = {**thing["metadata"], **(value or {})}
                thing["metadata"] = {key: each for key, each in merged.items() if each != ""}
            elif name not in FIELDS[kind]:
                raise Refused(400, "parameter_unknown", f"Received unknown parameter: {name}")
            else:
                thing[name] = _parse(FIELDS[kind][name], name, value)


def unfold(form: Thing) -> Thing:
    """A form as values: `metadata[room]` is a field of a field."""
    found: Thing = {}
    for name, value in form.items():
        at, *below = name.replace("]", "").split("[")
        place = found
        for step in below:
            place = place.setdefault(at, {})
            at = step
        place[at] = value
    return found


def _make(kind: str, name: str) -> Thing:
    plain: Thing = {"id": name, "object": KINDS[kind][1], "livemode": False, "created": 1763510400}
    return {**plain, "metadata": {}, **FIELDS[kind]}


def _parse(was: object, name: str, value: object) -> object:
    if value == "":
        return None
    if isinstance(was, bool):
        return value in (True, "true")
    number = isinstance(was, int) or name in ("amount", "unit_amount", "percent_off")
    return int(str(value)) if number else value


def _get_kind(request: ApiRequest) -> str:
    kind = request.names["kind"]
    if kind not in KINDS:
        raise Refused(404, "url_invalid", "Unrecognized request URL")
    return kind


def _find(state: State, kind: str, name: str) -> Thing:
    found = state[kind].get(name)
    return _require(kind, name, None if found and found.get("deleted") else found)


def _require(kind: str, name: str, found: Thing | None) -> Thing:
    return require(found, 404, "resource_missing", f"No such {KINDS[kind][1]}: '{name}'")


def _show(state: State, thing: Thing) -> Thing:
    if thing["object"] != "invoice":
        return thing
    items = state["invoiceitems"].values()
    lines = [{"id": f"il_{e['id']}"} for e in items if e["invoice"] == thing["id"]]
    return {**thing, "lines": {"object": "list", "data": lines}}
