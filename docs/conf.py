"""How Sphinx builds these pages: python -m sphinx -W -b html docs docs/_build"""

import re

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

import moeliga

project = "moeliga"
release = moeliga.__version__
version = release
copyright = "the authors of moeliga, BSD 3-Clause"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build", "gallery", "auto_gallery/*.ipynb", "auto_gallery/*.py"]

# the pages of gallery/ are run, and their pictures drawn, when these pages are built: what fails there fails the build
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 3600,
}

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autoclass_content = "class"
napoleon_google_docstring = False
napoleon_use_rtype = False

# nothing is fetched when a page is read: no web fonts, and equations are MathML, which browsers draw themselves
html_theme = "alabaster"
html_theme_options = {"description": "Feature subsets on a Pareto front", "fixed_sidebar": True, "page_width": "1100px"}
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_copy_source = False


def inline_math(translator, node):
    translator.body.append(tex2mathml(node.astext()))
    raise SkipNode


def block_math(translator, node):
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def spell_out(app, what, name, obj, options, lines):
    """Write three habits of the docstrings as napoleon wants them.

    "ValueError : why" is a line of its own under Raises; a name that ends with an underscore is no link; what stands
    before the colon in the line of a property is not its type.
    """
    section = None
    if what == "property":
        lines[0] = lines[0].replace(": ", ", ", 1)
    for place, line in enumerate(lines):
        if place + 1 < len(lines) and lines[place + 1] and not lines[place + 1].strip("-"):
            section = line
        error, colon, why = line.partition(" : ")
        if section == "Raises" and colon and not line.startswith(" "):
            lines[place] = f"{error}\n    {why}"
        else:
            lines[place] = re.sub(r"\((\w+)_,", r"(\1\\_,", line)
    lines[:] = "\n".join(lines).split("\n")


def setup(app):
    app.connect("autodoc-process-docstring", spell_out, priority=400)  # before napoleon
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
