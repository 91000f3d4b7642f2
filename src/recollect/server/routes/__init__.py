"""The routes, by what they are about; each file ends with its tuple ``ROUTES``."""
