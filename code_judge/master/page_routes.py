"""The web page: static files, which ask the same routes as everybody else for what they show."""

from pathlib import Path

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse

router = APIRouter()

FOLDER = Path(__file__).with_name("page")
POLICY = "; ".join(
    [
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect")),
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
"""Nothing from elsewhere, nothing inline: even text that got into the page as HTML could do nothing there."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # a browser asks whether it is still the same after an upgrade
}


@router.get("/")
async def page() -> FileResponse:
    """The cluster at a glance, for people."""
    return FileResponse(FOLDER / "index.html", headers=HEADERS)


@router.get("/page/{name}")
async def part(name: str) -> FileResponse:
    """A file that the page is made of."""
    if name not in {file.name for file in FOLDER.iterdir()}:
        raise HTTPException(404, f"the page has no part {name[:40]!r}")
    return FileResponse(FOLDER / name, headers=HEADERS)
