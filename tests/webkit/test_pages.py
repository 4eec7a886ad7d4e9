"""No page without its role; no foreign host or form; the headers on every answer."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from webkit.guard import LANGUAGE_COOKIE, MAX_BODY, MAX_UPLOAD
from webkit.pages import Page
from webkit.pairing import Pairing, Role

PUBLIC = {"/static/{file}", "/login", "/pair/{token}"}


def reach(client: httpx.Client, page: Page) -> list[httpx.Response]:
    """Ask for a page in every way that it allows."""
    path = page.path.format(file="hall.css", token="no-such-token", ident="0")
    answers = []
    for method in page.methods:
        data = {"x": "1"} if method == "POST" else None
        if page.path == "/live" and method == "GET":
            with client.stream(method, path) as stream:
                answers.append(stream)
        else:
            answers.append(client.request(method, path, data=data))
    return answers


def test_only_login_pairing_and_static_files_are_open_to_strangers(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    open_pages = set()
    with served.client() as stranger:
        for page in served.site.pages:
            for answer in reach(stranger, page):
                if answer.status_code not in (401, 403) or page.path == "/pair/{token}":
                    open_pages.add(page.path)
    assert open_pages == PUBLIC
    assert served.done == []


@pytest.mark.parametrize("role", list(Role))
def test_each_role_reaches_what_it_may_and_no_more(serve: Callable, role: Role) -> None:
    served = serve(at_the_machine=None)
    with served.client(role) as client:
        for page in served.site.pages:
            if page.needs is None:
                continue
            refused = {answer.status_code for answer in reach(client, page)} & {401, 403}
            assert bool(refused) is not role.may(page.needs), page.path


def test_browser_at_the_machine_may_look_and_not_act(serve: Callable) -> None:
    served = serve()
    with served.client() as client:
        assert client.get("/").status_code == 200
        assert client.post("/deal", data={}).status_code == 403
        assert client.get("/devices").status_code == 403
        for header in (
            "x-forwarded-for",
            "forwarded",
            "x-real-ip",
            "via",
        ):  # somebody elsewhere, through a proxy
            assert client.get("/", headers={header: "127.0.0.1"}).status_code == 401


def test_server_for_the_room_gives_the_machine_nothing_special(serve: Callable) -> None:
    served = serve(bound_to="0.0.0.0")
    with served.client() as client:
        assert client.get("/").status_code == 401


def test_stranger_with_a_browser_is_sent_to_the_login(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    with served.client() as client:
        answer = client.get("/", headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")


def test_pairing_by_digits_and_by_link_through_the_pages(serve: Callable, pairing: Pairing) -> None:
    served = serve(at_the_machine=None)
    with served.client(Role.DIRECTOR) as director:
        page = director.post("/devices/invite", data={"role": "dealer"})
        assert "<svg" in page.text
        digits = page.text.partition('class="code">')[2][:4]
        token = page.text.partition("/pair/")[2].partition("<")[0]
    with served.client() as tablet:
        looked = tablet.get(f"/pair/{token}")
        assert "croupier" in looked.text
        assert tablet.get(f"/pair/{token}").status_code == 200  # looking uses nothing up
        answer = tablet.post("/login", data={"digits": digits, "device": "tablette 3"})
        assert answer.status_code == 303
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=lax" in answer.headers["set-cookie"]
        assert tablet.post("/deal", data={}).status_code == 200
        assert tablet.post("/direct", data={}).status_code == 403
        assert tablet.get(f"/pair/{token}").status_code == 404
    assert [(d.name, d.role) for d in pairing.devices()][-1] == ("tablette 3", Role.DEALER)


def test_link_lets_a_device_in_and_director_sends_it_away(serve: Callable, pairing: Pairing) -> None:
    served = serve(at_the_machine=None)
    token = pairing.invite(Role.DISPLAY).token
    with served.client() as screen, served.client(Role.DIRECTOR) as director:
        assert screen.post(f"/pair/{token}", data={"device": "écran"}).status_code == 303
        assert screen.get("/").status_code == 200
        ident = next(d.ident for d in pairing.devices() if d.name == "écran")
        assert "écran" in director.get("/devices").text
        assert director.post(f"/devices/{ident}/send-away", data={}).status_code == 303
        assert screen.get("/").status_code == 401
        assert screen.post(f"/pair/{token}", data={}).status_code == 403


def test_wrong_digits_are_counted(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    with served.client() as thief:
        codes = [thief.post("/login", data={"digits": "0000"}).status_code for _ in range(6)]
        assert codes == [403] * 5 + [429]
        assert int(thief.post("/login", data={"digits": "0000"}).headers["retry-after"]) >= 1


def test_every_answer_has_the_security_headers_and_no_inline_script(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    with served.client(Role.DIRECTOR) as client:
        for path in ("/", "/login", "/devices", "/static/hall.css", "/nowhere", "/pair/x"):
            answer = client.get(path)
            assert "script-src 'self'" in answer.headers["content-security-policy"]
            assert "unsafe" not in answer.headers["content-security-policy"]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert "date" not in answer.headers and "server" not in answer.headers
            for tag in answer.text.split("<script")[1:]:
                assert tag.partition(">")[0].startswith(" src=") and tag.partition(">")[2].startswith(
                    "</script>"
                )
            assert " style=" not in answer.text and " onclick=" not in answer.text


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
        ("192.168.1.7", 421),
        ("localhost", 200),
    ],
)
def test_foreign_host_name_is_refused(serve: Callable, host: str, status: int) -> None:
    served = serve()
    with served.client() as client:
        assert client.get("/", headers={"host": host}).status_code == status


def test_server_for_the_room_takes_addresses_and_its_own_names(serve: Callable) -> None:
    served = serve(bound_to="0.0.0.0", names=frozenset({"hub.club"}))
    with served.client(Role.DISPLAY) as client:
        cookie = {"cookie": f"{served.pairing.cookie}={client.cookies[served.pairing.cookie]}"}
        for host, status in (
            ("192.168.1.7:80", 200),
            ("hub.club", 200),
            ("HUB.CLUB:8080", 200),
            ("evil.example", 421),
        ):
            assert client.get("/", headers={"host": host, **cookie}).status_code == status


def test_form_of_another_site_is_refused(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    with served.client(Role.DIRECTOR) as client:
        for headers in (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": served.server.url.replace("http", "https")},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
        ):
            assert client.post("/direct", data={}, headers=headers).status_code == 403
        assert served.done == []
        assert client.post("/direct", data={}, headers={"origin": served.server.url}).status_code == 200
        assert served.done == ["/direct"]


def test_odd_bodies_are_refused(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    with served.client() as client:
        assert client.post("/login", content=b"x" * (MAX_BODY + 1)).status_code == 413
        assert client.post("/login", content=iter([b"digits=1"])).status_code == 413  # of unknown length
        assert client.post("/login", json={"digits": "0000"}).status_code == 415
        assert client.post("/login", files={"digits": b"0" * (MAX_BODY + 1)}).status_code == 415
        assert client.post("/login", files={"digits": b"0" * (MAX_UPLOAD + 1)}).status_code == 413
        form = {"content-type": "application/x-www-form-urlencoded"}
        assert client.post("/login", content=b"digits=%ff%fe", headers=form).status_code == 400
        assert client.post("/login", content="digits=é".encode(), headers=form).status_code == 400
        assert client.post("/login", content=b"a&" * 60, headers=form).status_code == 400
    with served.client(Role.DIRECTOR) as director:
        assert director.post("/devices/invite", data={"role": "king"}).status_code == 400


def test_language_is_chosen_and_remembered(serve: Callable) -> None:
    served = serve()
    with served.client() as client:
        assert client.get("/").text == "hello fr"
        assert client.get("/", headers={"accept-language": "en"}).text == "hello en"
        assert client.get("/?lang=en").text == "hello en"
        assert client.cookies[LANGUAGE_COOKIE] == "en"
        assert client.get("/").text == "hello en"
        assert "Pair this device" in client.get("/login").text
        assert "Relier cet appareil" in client.get("/login?lang=fr").text


def test_static_files_come_from_memory_and_nothing_else_does(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    with served.client() as client:
        page = client.get("/login").text
        url = page.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
        sheet = client.get(url)
        assert (
            sheet.headers["content-type"].startswith("text/css")
            and "immutable" in sheet.headers["cache-control"]
        )
        assert client.get("/static/hall.css").headers["cache-control"] == "no-cache"
        for path in ("/static/nothing.css", "/static/..%2fpages.py", "/static/%2e%2e/pages.py"):
            assert client.get(path).status_code == 404


def test_page_names_no_other_machine(serve: Callable) -> None:
    served = serve()
    with served.client() as client:
        page = client.get("/login").text
        assert "http://" not in page and "https://" not in page and '"//' not in page
