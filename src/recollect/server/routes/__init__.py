"""The routes: one file for each thing that is asked for, each with its ``ROUTES``."""
