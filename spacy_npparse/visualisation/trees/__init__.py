"""Dependency trees as SVG pictures and HTML pages."""
