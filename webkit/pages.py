"""The site of one server: base page, static files, login and pairing, and the pages that its owner adds.

A page exists only together with the role that it needs (``Page``), so none can be left open by oversight.
"""

from __future__ import annotations

import email.parser
import email.policy
import hashlib
import mimetypes
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import jinja2
import segno
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from webkit.errors import CatalogueFault, PairingRefused, TooManyTries
from webkit.guard import LANGUAGE_COOKIE, MAX_BODY, MAX_UPLOAD, Gate, GuardMiddleware, Visitor, lan_address
from webkit.language import LANGUAGES, Catalogue, number
from webkit.pairing import Device, Invitation, Pairing, Role
from webkit.server import is_loopback

HERE = Path(__file__).parent
YEAR = 31_536_000

Endpoint = Callable[[Request, Visitor], Awaitable[Response | ASGIApp]]


@dataclass(frozen=True)
class Page:
    """One route and who may use it.

    Attributes:
        path: as Starlette writes it, ``/tables/{table}``.
        endpoint: answers; gets the request and the visitor.
        needs: the least role; None = open to strangers (only login, pairing and static files are).
        methods: HTTP methods.
    """

    path: str
    endpoint: Endpoint
    needs: Role | None
    methods: tuple[str, ...] = ("GET",)


class Site:
    """All the pages of one server as one ASGI application (``app``).

    Args:
        pairing: the doorkeeper.
        pages: the owner's pages.
        templates: the owner's template folders; ``base.html`` comes from here.
        catalogues: the owner's texts; those named ``kit.…`` come from here.
        name: what the page is called in its head: a club, a table.
        bound_to: the address that the server listens on.
        at_the_machine: what a browser on the machine itself may do without pairing (loopback servers only).
        names: further host names of the server.
        static: further folders of static files.
    """

    def __init__(
        self,
        pairing: Pairing,
        pages: Sequence[Page],
        *,
        name: str,
        bound_to: str = "127.0.0.1",
        templates: Sequence[Path] = (),
        catalogues: Sequence[Catalogue] = (),
        static: Sequence[Path] = (),
        at_the_machine: Role | None = Role.DISPLAY,
        names: frozenset[str] = frozenset(),
    ) -> None:
        self._name = name
        self._pairing = pairing
        self._gate = Gate(pairing, bound_to, at_the_machine)
        self._catalogues = [Catalogue(HERE / "locales"), *catalogues]
        self._static = _read_static([HERE / "static", *static])
        self._templates = jinja2.Environment(
            auto_reload=False,  # templates come with the program: no look at the disk for every fragment
            loader=jinja2.FileSystemLoader([*templates, HERE / "templates"]),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals["static"] = self._static_url
        self._templates.globals["languages"] = LANGUAGES
        self._templates.filters["number"] = number
        self.pages: tuple[Page, ...] = (
            Page("/static/{file}", self._serve_static, None),
            Page("/login", self._login, None, ("GET", "POST")),
            Page("/pair/{token}", self._pair, None, ("GET", "POST")),
            Page("/devices", self._devices, Role.DIRECTOR),
            Page("/devices/invite", self._invite, Role.DIRECTOR, ("POST",)),
            Page("/devices/{ident}/send-away", self._send_away, Role.DIRECTOR, ("POST",)),
            *pages,
        )
        self.app = Starlette(
            routes=[Route(page.path, self._guarded(page), methods=list(page.methods)) for page in self.pages],
            middleware=[Middleware(GuardMiddleware, bound_to=bound_to, names=names)],
            exception_handlers={HTTPException: self._refused},
        )

    # -- for the owner's pages ----------------------------------------------

    def text(self, language: str, name: str, count: int | None = None, /, **values: object) -> str:
        """One text of ours or of the owner's, filled in.

        Raises:
            CatalogueFault: no catalogue has it.
        """
        for catalogue in self._catalogues:
            if name in catalogue:
                return catalogue.text(language, name, count, **values)
        raise CatalogueFault(f"there is no text {name!r}", where=self._name, hint="add it to every language")

    def fragment(self, template: str, language: str, **values: Any) -> str:
        """Fill in a template that is a part of a page."""

        def text(name: str, count: int | None = None, /, **filled: object) -> str:
            return self.text(language, name, count, **filled)

        return self._templates.get_template(template).render(t=text, language=language, **values)

    def page(
        self, request: Request, visitor: Visitor, template: str, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """Fill in a whole page (a template that extends ``base.html``)."""
        html = self.fragment(
            template,
            visitor.language,
            name=self._name,
            visitor=visitor,
            path=request.url.path,
            may_direct=visitor.may(Role.DIRECTOR),
            **values,
        )
        return HTMLResponse(html, status_code=status, headers={"cache-control": "no-store"})

    # -- every request -------------------------------------------------------

    def _guarded(self, page: Page) -> Callable[[Request], Awaitable[Any]]:
        async def answer(request: Request) -> Response | ASGIApp:
            visitor = self._gate.visitor(request)
            request.state.visitor = visitor
            if page.needs is not None and not visitor.may(page.needs):
                return self._stranger(request, visitor)
            response = await page.endpoint(request, visitor)
            if isinstance(response, Response) and request.query_params.get("lang") in LANGUAGES:
                response.set_cookie(
                    LANGUAGE_COOKIE, visitor.language, max_age=YEAR, samesite="lax", httponly=True
                )
            return response

        return answer

    def _stranger(self, request: Request, visitor: Visitor) -> Response:
        """Not allowed: a browser is sent to the login, everything else is told so."""
        if (
            request.method == "GET"
            and "text/html" in request.headers.get("accept", "")
            and visitor.role is None
        ):
            return RedirectResponse("/login", status_code=303)
        status = 401 if visitor.role is None else 403
        return PlainTextResponse("not allowed\n", status_code=status, headers={"cache-control": "no-store"})

    async def _refused(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return PlainTextResponse(f"{status}\n", status_code=status, headers={"cache-control": "no-store"})

    # -- static files ----------------------------------------------------------

    def _static_url(self, file: str) -> str:
        return f"/static/{file}?v={self._static[file][1]}"

    async def _serve_static(self, request: Request, visitor: Visitor) -> Response:
        held = self._static.get(request.path_params["file"])
        if held is None:
            return PlainTextResponse("404\n", status_code=404)
        data, digest, kind = held
        current = request.query_params.get("v") == digest
        cache = f"public, max-age={YEAR}, immutable" if current else "no-cache"
        return Response(data, media_type=kind, headers={"cache-control": cache, "etag": f'"{digest}"'})

    # -- being let in ------------------------------------------------------------

    async def _login(self, request: Request, visitor: Visitor) -> Response:
        if request.method == "GET":
            return self.page(request, visitor, "login.html", trouble=None)
        form = await read_form(request)
        try:
            device = self._pairing.redeem_digits(form.get("digits", "").strip(), form.get("device", ""))
        except TooManyTries as refusal:
            trouble = self.text(visitor.language, "kit.login.wait", seconds=int(refusal.wait) + 1)
            answer = self.page(request, visitor, "login.html", 429, trouble=trouble)
            answer.headers["retry-after"] = str(int(refusal.wait) + 1)
            return answer
        except PairingRefused:
            trouble = self.text(visitor.language, "kit.login.wrong")
            return self.page(request, visitor, "login.html", 403, trouble=trouble)
        return self._welcome(request, device)

    async def _pair(self, request: Request, visitor: Visitor) -> Response:
        token = request.path_params["token"]
        if (
            request.method == "GET"
        ):  # looking uses nothing up: previews of links must not spend the invitation
            role = self._pairing.invited(token)
            return self.page(request, visitor, "pair.html", 200 if role else 404, role=role)
        form = await read_form(request)
        try:
            device = self._pairing.redeem_token(token, form.get("device", ""))
        except PairingRefused:
            return self.page(request, visitor, "pair.html", 403, role=None)
        return self._welcome(request, device)

    def _welcome(self, request: Request, device: Device) -> Response:
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            self._pairing.cookie,
            self._pairing.cookie_value(device),
            max_age=YEAR,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return answer

    async def _devices(self, request: Request, visitor: Visitor) -> Response:
        return self._devices_page(request, visitor, None)

    async def _invite(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        try:
            role = Role(form.get("role", ""))
        except ValueError:
            raise HTTPException(400) from None
        return self._devices_page(request, visitor, self._pairing.invite(role))

    def _devices_page(self, request: Request, visitor: Visitor, invitation: Invitation | None) -> Response:
        link = self._link(request, invitation) if invitation else None
        code = (
            Markup(segno.make(link, error="m").svg_inline(scale=6, border=3, light="#fff")) if link else None
        )
        return self.page(
            request,
            visitor,
            "devices.html",
            roles=list(Role),
            devices=self._pairing.devices(),
            invitation=invitation,
            link=link,
            code=code,
            only_here=is_loopback(self._gate.bound_to),
        )

    def _link(self, request: Request, invitation: Invitation) -> str:
        host = request.headers.get("host", "")
        if is_loopback(request.url.hostname or "") and not is_loopback(self._gate.bound_to):
            outside = lan_address()
            if outside is not None:
                host = f"{outside}:{request.url.port}" if request.url.port else outside
        return f"{request.url.scheme}://{host}/pair/{invitation.token}"

    async def _send_away(self, request: Request, visitor: Visitor) -> Response:
        self._pairing.send_away(request.path_params["ident"])
        return RedirectResponse("/devices", status_code=303)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a small form; of a field given twice the last counts.

    Raises:
        HTTPException: not a form (415), too long (413) or not UTF-8 (400).
    """
    if request.headers.get("content-length") == "0":
        return {}
    if (
        request.headers.get("content-type", "").partition(";")[0].strip()
        != "application/x-www-form-urlencoded"
    ):
        raise HTTPException(415)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413)
    try:
        return dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50)
        )
    except ValueError:
        raise HTTPException(400) from None


async def read_upload(request: Request) -> tuple[dict[str, str], dict[str, bytes]]:
    """The fields of a form with files, and the files' contents by field; an empty file counts as none.

    Raises:
        HTTPException: not such a form (415), too long (413) or not readable (400).
    """
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/form-data") or "\n" in kind:
        raise HTTPException(415)
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_UPLOAD:
            raise HTTPException(413)
    parser = email.parser.BytesParser(policy=email.policy.HTTP)
    form = parser.parsebytes(b"content-type: " + kind.encode("latin-1") + b"\r\n\r\n" + bytes(body))
    if not form.is_multipart():
        raise HTTPException(400)
    fields: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for held in form.iter_parts():
        name = held.get_param("name", header="content-disposition")
        content = held.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise HTTPException(400)
        if held.get_filename() is None:
            fields[name] = content.decode("utf-8", "replace")
        elif content:
            files[name] = content
    return fields, files


def _read_static(folders: Sequence[Path]) -> dict[str, tuple[bytes, str, str]]:
    """Static files are few and small: held in memory, so that no path of a request ever touches the disk."""
    files: dict[str, tuple[bytes, str, str]] = {}
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if path.is_file():
                data = path.read_bytes()
                kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                files[path.name] = (data, hashlib.sha256(data).hexdigest()[:16], kind)
    return files


__all__ = ["Endpoint", "Page", "Site", "Visitor", "read_form", "read_upload"]
