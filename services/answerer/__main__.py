"""Run `python -m services.answerer`."""

from services.answerer.app import main

main()
