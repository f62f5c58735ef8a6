"""Run the retriever with settings from the environment: `python -m services.retriever`."""

from services.retriever.app import create_frozen_app
from services.retriever.settings import RetrieverSettings
from shared.web.service import serve

serve(RetrieverSettings, create_frozen_app)
