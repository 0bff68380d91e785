"""A real browser, headless: what a person sees of the page."""

import importlib.util
import shutil

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """The first Chromium on PATH."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def why_no_browser() -> str:
    """What is missing for one; an empty text where nothing is."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed"
    if find_browser() is None:
        return "there is no Chromium on PATH (Debian: apt install chromium-headless-shell)"
    return ""
