"""Floor 6: the product measured against public data sets and synthetic load.

Importers for LoCoMo, BEAM, Cranfield and LongMemEval, pure metrics with intervals, runs through the
real product, and reports. Nothing here is a second implementation of search: only `recollect.open`
is measured. The data sets are not part of the package (their licences forbid it).
"""
