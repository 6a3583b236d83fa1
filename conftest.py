"""What all tests share: the embedded database, the browser, and the account of clauses that have a test."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tourney.testing import browser as browsers
from tourney.testing import clauses, copying, emptying, quick

_PREFIX = "tourney-test-"


# -- one folder per run, shared by all its processes -----------------------------------------------------------------


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave slow and browser tests out, but of changed files")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("quick"):
        quick.note(config)
    if not _is_worker(config):
        _remove_abandoned()
        Path(os.environ["TOURNEY_TEST_FOLDER"]).mkdir(mode=0o700, exist_ok=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not _is_worker(config):
        _remove(Path(os.environ["TOURNEY_TEST_FOLDER"]))


def _remove_abandoned() -> None:
    """Remove what test runs left that were killed; their folders carry the number of their process."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        number = folder.name.removeprefix(_PREFIX)
        if number.isdecimal() and not _is_alive(int(number)) and folder.stat().st_uid == os.geteuid():
            _remove(folder)


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _remove(folder: Path) -> None:
    from tourney.laptop.postgres import EmbeddedPostgres  # noqa: PLC0415 -- most runs of rule tests never need it

    cluster = folder / "postgres"
    if cluster.exists():
        EmbeddedPostgres(cluster, folder / "socket", folder / "log").stop()
    shutil.rmtree(folder, ignore_errors=True)


# -- cache -----------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Begin each test with an empty cache: how often visitors of another test knocked must not count in this one."""
    from django.core.cache import cache  # noqa: PLC0415 -- settings are loaded by then

    cache.clear()


# -- database --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[None]:
    """Start the embedded server for the first test that needs a database; each worker has a database of its own.

    The first process stops it at the very end, because another worker may still use it when this one is done.
    """
    from django.conf import settings  # noqa: PLC0415 -- settings are loaded by then

    if settings.EMBEDDED_DATABASE:
        from tourney.laptop.postgres import EmbeddedPostgres  # noqa: PLC0415

        folder = settings.TEST_CLUSTER.parent
        server = EmbeddedPostgres(settings.TEST_CLUSTER, settings.TEST_SOCKET, folder / "log", throwaway=True)
        server.start("tourney")
    if _is_worker(request.config):
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")
    run = Path(os.environ["TOURNEY_TEST_FOLDER"])
    with pytest.MonkeyPatch.context() as patch:
        emptying.quickly(patch)
        if _is_worker(request.config):
            copying.once(patch, run)
        yield
    if _is_worker(request.config) and not settings.EMBEDDED_DATABASE:
        with django_db_blocker.unblock():
            copying.forget(run)


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest) -> bool:
    """Drop no database one by one where the whole server is thrown away: a connection left open can't disturb then."""
    from django.conf import settings  # noqa: PLC0415

    return settings.EMBEDDED_DATABASE or request.config.getvalue("reuse_db")


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    """Let no test see what another one cached, nor speak the language of its last page."""
    from django.core.cache import cache  # noqa: PLC0415
    from django.utils import translation  # noqa: PLC0415

    from tourney import live_cache  # noqa: PLC0415
    from tourney.sign_in import knocks  # noqa: PLC0415

    cache.clear()
    live_cache.forget()
    knocks.forget_full()
    yield
    translation.deactivate()


# -- browser ---------------------------------------------------------------------------------------------------------


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):  # `page` needs it too; a parameter may be called `page`
            item.add_marker(pytest.mark.browser)
    clauses.note(config, items)
    if config.getoption("quick"):
        changed = config.stash[quick.CHANGED]
        items[:], left_out = quick.choose(items, changed)
        config.hook.pytest_deselected(items=left_out)
    elif _is_worker(config):  # files that take long begin, so that no worker is left alone with one at the end
        long = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in long)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    quick.hand_to(node)


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and never among what stays until the end: the modules, models and tests themselves."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium. Without one the tests that ask for it are skipped, in CI they fail."""
    program = browsers.find()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("CI has no browser: `python -m tourney.testing.browser` should have brought one")
        pytest.skip(browsers.MISSING)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- slow to import

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=browsers.ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Any, live_server: Any) -> Iterator[Any]:
    """A fresh page on the live server (`page.goto("/")`); a script error or a blocked resource fails the test."""
    context = browser.new_context(base_url=live_server.url, locale="uk-UA", timezone_id="Europe/Kyiv")
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on(
        "console",
        lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None,
    )
    yield opened
    context.close()
    assert faults == []


# -- the account of clauses ------------------------------------------------------------------------------------------


def pytest_sessionfinish(session: pytest.Session) -> None:
    clauses.hand_over(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    clauses.take_over(node)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    clauses.report(terminalreporter, config)
    browsers.report(terminalreporter)
