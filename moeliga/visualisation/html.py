"""The HTML of a report: every text is escaped, and nothing is loaded from outside the file."""

import base64
import html

from moeliga.base.text import visible

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #5b6572; --line: #d7dce2; --tint: #f4f6f8;
  --mark: #fdeeee; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #15181c; --soft: #a2acb8; --line: #363d46;
  --tint: #1e2329; --mark: #41262a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { margin-top: 2.5rem; padding-top: .5rem; border-top: 1px solid var(--line); font-size: 1.2rem; }
figure { margin: 1rem 0; }
figure img { display: block; width: 100%; max-width: 40rem; height: auto; }
figcaption, .note { color: var(--soft); font-size: .9rem; }
.scroll { overflow: auto; max-height: 70vh; border: 1px solid var(--line); border-radius: .3rem; }
.scroll + .scroll { margin-top: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { background: var(--tint); overflow-wrap: normal; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.text { min-width: 7rem; }
td.name { overflow-wrap: break-word; }
td.long { min-width: 11rem; }
td.short { white-space: nowrap; }
td.spare { overflow-wrap: normal; }
td.range, th.range { text-align: right; }
td.range { overflow-wrap: normal; }
th.range { overflow-wrap: anywhere; }
@media (max-width: 48rem) { tr:has(> .long) { display: grid;
  grid-template-columns: minmax(0, .8fr) minmax(0, 1.3fr) minmax(0, 1.2fr) minmax(0, 1.1fr);
  border-bottom: 1px solid var(--line); }
  tr:has(> .long) > * { border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  td.text { min-width: 0; } tr > .long { grid-column: 1 / -1; } }
@media (max-width: 34rem) { table { font-size: .8rem; } th, td { padding: .3rem .25rem; } .range { font-size: .7rem; }
  .spare { display: none; } }
tr.chosen td { background: var(--mark); font-weight: 600; }
pre { margin: 0; padding: .8rem; background: var(--tint); font-size: .85rem; white-space: pre; overflow-wrap: normal; }
@media print { .scroll { max-height: none; overflow: visible; } }
""".strip()

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""A second defence, in case a text is not escaped: browsers load nothing from outside the file and run no scripts."""


def escape(text):
    """Return text as HTML: markup and control characters are escaped, line ends stay."""
    return html.escape("\n".join(map(visible, text.split("\n"))))


def page(title, parts):
    """Return the whole document: `title` is text, `parts` are HTML."""
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<main>\n"
            f"<h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</main>\n</body>\n</html>\n")


def heading(text):
    return f"<h2>{escape(text)}</h2>"


def paragraph(text, kind=None):
    return f"<p{class_attribute(kind)}>{escape(text)}</p>"


def figure(svg, alt, caption):
    """Return an SVG picture embedded in the page, with its alternative text and a caption."""
    data = base64.b64encode(svg.encode()).decode()
    return (f'<figure>\n<img src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}">\n'
            f"<figcaption>{escape(caption)}</figcaption>\n</figure>")


def table(columns, *, label, marked=None, most=None, left_out="rows"):
    """Return a table that scrolls by itself, from `columns`: list of (heading, kind, cells), all str.

    The kind is the style of the cells: "text", "long", "name", "short", "number", "range" or "spare" (hidden on narrow
    pages); `label` describes the table to screen readers. At most `most` rows are shown, always with the row `marked`,
    which is highlighted; a note gives the number of the others, called `left_out`.
    """
    rows = list(zip(*(cells for _, _, cells in columns), strict=True))
    shown = list(range(len(rows)))[:most]
    if marked is not None and marked not in shown:
        shown[-1] = marked
    kinds = [class_attribute(kind) for _, kind, _ in columns]
    head = "".join(f'<th scope="col"{class_attribute(kind)}>{escape(name)}</th>' for name, kind, _ in columns)
    body = "\n".join(
        f"<tr{class_attribute('chosen' if i == marked else None)}>"
        + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, rows[i], strict=True)) + "</tr>"
        for i in shown)
    text = (f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">\n<table>\n<thead><tr>{head}'
            f"</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>")
    if len(shown) < len(rows):
        text += "\n" + paragraph(f"{len(rows) - len(shown):,} of {len(rows):,} {left_out} are not shown.", "note")
    return text


def code(text, label):
    """Return the text of a program in a box that scrolls by itself."""
    return (f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0"><pre><code>{escape(text)}'
            "</code></pre></div>")


def class_attribute(kind):
    """Return the HTML attribute for a class, or "" for None."""
    return "" if kind is None else f' class="{kind}"'
