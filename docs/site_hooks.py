"""Hooks of MkDocs: folders in the navigation, and pages for the repository's files that pages link to.

Pages are written to be read in the repository too, so they link to task files, scripts and folders beside
`docs/`. On the site each such file becomes a page of its own, `repository/PATH`, and the site needs no other
place. In `nav` a path that ends in `/` stands for the pages of that folder which nav names nowhere else.
"""

import json
import re
from collections.abc import Iterator
from os.path import normpath, relpath
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+?)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.M | re.S)
WIDE = re.compile(r"^(\|[^|\n]*){11,}\|$", re.M)
LANGUAGES = {"yaml": "yaml", "py": "python", "toml": "toml", "csv": "text", "sh": "bash"}
LONGEST = 200_000  # characters; what is longer is shown by its beginning


def pages_of(nav: list[Any]) -> Iterator[str]:
    """Yield the paths that a nav names, in order."""
    for item in nav:
        value = next(iter(item.values())) if isinstance(item, dict) else item
        if isinstance(value, list):
            yield from pages_of(value)
        else:
            yield value


def expanded(nav: list[Any], docs: Path, named: set[str] | None = None) -> list[Any]:
    """Return a nav with the pages of its folders."""
    named = set(pages_of(nav)) if named is None else named
    result: list[Any] = []
    for item in nav:
        key, value = next(iter(item.items())) if isinstance(item, dict) else (None, item)
        if isinstance(value, list):
            result.append({key: expanded(value, docs, named)})
        elif value.endswith("/"):
            found = sorted(path.relative_to(docs).as_posix() for path in (docs / value).glob("*.md"))
            left = [path for path in found if path not in named]
            result += left if key is None else [{key: left}]
        else:
            result.append(item)
    return result


def links(markdown: str) -> Iterator[str]:
    """Yield the relative links of a page, without anchors; those in blocks of code do not count."""
    for link in LINK.finditer(FENCE.sub("", markdown)):
        if not re.match(r"[a-z]+:|#|/", link[1]):
            yield link[1]


def target(link: str, source: str) -> str:
    """Return the path in the repository that a link of a page, a path in the repository too, leads to."""
    return normpath((PurePosixPath(source).parent / link).as_posix())


def page_of(path: str) -> str:
    """Return the site's page, below docs/, of a file or folder of the repository."""
    return f"repository/{path}.md" if not path.endswith(".md") else f"repository/{path}"


def source_of(uri: str) -> str:
    """Return the path in the repository of a page of the site."""
    shown = uri.removeprefix("repository/")
    if shown == uri:
        return f"docs/{uri}"
    return shown if (ROOT / shown).is_file() else shown.removesuffix(".md")


def shown(path: str) -> str:
    """Return the Markdown that shows a file or folder of the repository."""
    place = ROOT / path
    head = "---\nsearch:\n  exclude: true\n---\n\n"
    if place.is_dir():
        names = sorted(p.name for p in place.iterdir() if p.name[0] not in "._")
        return f"{head}# {path}/\n\n" + "".join(f"- `{name}`\n" for name in names)
    text = place.read_text("utf-8")
    if path.endswith(".ipynb"):
        return head + notebook(text, path)
    if path.endswith(".md"):
        return head + text
    if len(text) > LONGEST:
        text = text[:LONGEST] + "\n...\n"
    language = LANGUAGES.get(place.suffix[1:], "text")
    return f"{head}# {path}\n\n````{language}\n{text}\n````\n"


def notebook(text: str, path: str) -> str:
    """Return a notebook as Markdown: its text, and its code in blocks."""
    parts = [f"`{path}`"]
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
    return "\n\n".join(parts)


def on_config(config: Any) -> Any:
    """Put the pages of folders into the nav."""
    config["nav"] = expanded(config["nav"], Path(config["docs_dir"]))
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add a page for every file of the repository that a page links to."""
    from mkdocs.structure.files import File

    todo = [(file.src_uri, file.content_string) for file in files.documentation_pages()]
    while todo:
        uri, markdown = todo.pop()
        for link in links(markdown):
            path = target(link, source_of(uri))
            if of_site(path, files) or not (ROOT / path).exists():
                continue
            page = page_of(path)
            if files.get_file_from_path(page) is None:
                content = shown(path)
                files.append(File.generated(config, page, content=content))
                todo.append((page, content))
    return files


def of_site(path: str, files: Any) -> bool:
    """Return whether a path in the repository is a page or picture of the site itself."""
    file = files.get_file_from_path(path.removeprefix("docs/")) if path.startswith("docs/") else None
    return file is not None and file.inclusion.is_included()


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Lead links to files of the repository to their pages, and give wide tables the room of the contents."""
    uri = page.file.src_uri
    if WIDE.search(markdown):
        page.meta.setdefault("hide", ["toc"])

    def moved(link: re.Match[str]) -> str:
        if re.match(r"[a-z]+:|#|/", link[1]):
            return link[0]
        path = target(link[1], source_of(uri))
        own = of_site(path, files)
        where = path.removeprefix("docs/") if own else page_of(path)
        return f"]({relpath(where, str(PurePosixPath(uri).parent))}{link[2] or ''})"

    parts = re.split(r"(^(?:```|~~~).*?^(?:```|~~~)\s*$)", markdown, flags=re.M | re.S)
    return "".join(part if part[:3] in ("```", "~~~") else LINK.sub(moved, part) for part in parts)
