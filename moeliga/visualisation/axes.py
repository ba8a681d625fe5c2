"""What the displays share: axes to draw on, scales of counts, bars of shares. Loads matplotlib only when called."""

import numpy as np

LONGEST_NAME = 32
"""Characters of a feature name that are shown."""


def axes_for(display, ax, **options):
    """`ax`, or the new axes of a new figure.

    Parameters
    ----------
    display : object
        Who draws, for the message.
    ax : matplotlib Axes, array of Axes or None
    **options
        Of `matplotlib.pyplot.subplots`.

    Raises
    ------
    ImportError : if matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{type(display).__name__} needs matplotlib: pip install 'moeliga[plot]'") from error
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(layout="constrained", **options)
    return ax


def scale_counts(ax, side, smallest, largest):
    """Whole numbers on an axis of counts; a logarithmic axis where they span more than a decade.

    Parameters
    ----------
    ax : matplotlib Axes
    side : {"x", "y"}
    smallest, largest : int
        Of what is drawn.
    """
    from matplotlib import ticker

    axis = getattr(ax, f"{side}axis")
    if largest > 50 and largest > 10 * smallest:
        ax.set(**{f"{side}scale": "log"})
        few = largest <= 500 * smallest
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if few else (1,)))
        axis.set_minor_formatter(ticker.NullFormatter())
    else:
        axis.set_major_locator(ticker.MaxNLocator(7, steps=(1, 2, 5, 10), integer=True, min_n_ticks=1))
        if largest - smallest < 3:  # room beside a lone count, without ticks below one
            ax.set(**{f"{side}lim": (smallest - 0.6, largest + 0.6)})
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))


def draw_shares(ax, names, shares, colors):
    """Horizontal bars of shares in [0, 1] with their names, the first at the top.

    Returns
    -------
    bars : matplotlib BarContainer
    """
    from matplotlib import ticker

    places = np.arange(len(names))
    bars = ax.barh(places, shares, color=colors, height=0.76)
    ax.set_yticks(places, [shortened(name) for name in names])
    ax.set(xlim=(0, 1), ylim=(len(names) - 0.4, -0.6))
    ax.xaxis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=0))
    ax.tick_params(axis="y", length=0)
    ax.grid(True, axis="x", color="0.93")
    ax.set_axisbelow(True)
    return bars


def height_of(n_bars):
    """Inches of a figure with so many bars."""
    return 1.5 + 0.21 * max(n_bars, 3)


def shortened(name):
    """A name, cut in the middle where it is too long, with nothing in it that matplotlib would set as a formula."""
    if len(name) > LONGEST_NAME:
        half = LONGEST_NAME // 2
        name = f"{name[: half - 1]}…{name[-half:]}"
    return name.replace("$", r"\$")


def legend_above(ax, **options):
    """A legend without a frame above the axes, where it hides nothing."""
    return ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, frameon=False, **options)
