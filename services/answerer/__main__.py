"""Run the answerer with settings from the environment: `python -m services.answerer`."""

from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.web.service import serve

serve(AnswererSettings, create_app)
