"""Figures: durations, metrics, intervals, tables, plots."""
