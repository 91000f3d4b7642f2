"""Floor 6: the command line. The only place that prints.

`main` is the entry point, `commands` the table of commands, one module for each group of them.
Modules import typer and what is light; a command imports the memory when it runs.
"""
