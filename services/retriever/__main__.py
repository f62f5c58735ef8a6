"""Run the retriever: `python -m services.retriever`."""

from services.retriever.app import main

main()
