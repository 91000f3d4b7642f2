"""The routes, one file for what belongs together; each ends with a tuple ``ROUTES``."""
