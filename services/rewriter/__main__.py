"""Run `python -m services.rewriter`."""

from services.rewriter.app import main

main()
