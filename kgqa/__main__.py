"""`python -m kgqa`."""

from kgqa.cli import main

main()
