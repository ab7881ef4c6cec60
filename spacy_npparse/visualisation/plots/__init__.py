"""Plots as SVG markup: lines, scatter plots, bars and dot plots in rows.

The plots are drawn here and not by a library, because those that keep a page self-contained and
small draw nothing without scripts. These plots are part of the document: they show without
scripts, print sharply, are read by screen readers, follow dark mode through CSS variables, have
tooltips and error bars, and ten of them for three parsers take 35 kB. Considered instead, with the
size of the script that each page would contain:

* Chart.js 4.6 (210 kB) and uPlot 1.6 (51 kB) draw on a canvas: nothing without scripts, no text for
  screen readers or search, colours fixed when drawn, error bars only by plugins or own code.
* Observable Plot 0.6 with D3 7 (209 + 281 kB) draws SVG, but only in the browser or under Node.
* Frappe Charts 1.6 (69 kB) has neither scatter plots nor logarithmic axes.
* Vega-Lite: 899 kB with Vega and its loader. vl-convert draws it as static SVG, without tooltips
  and as a compiled dependency of 88 MB.
* pygal 3.1 draws SVG in Python, but needs a script for tooltips and has no dot plots in rows.
* Matplotlib's SVG has neither tooltips nor dark mode; plotly.js and Bokeh exceed 1 MB.
"""
