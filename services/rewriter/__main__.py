"""Run the rewriter with settings from the environment: `python -m services.rewriter`."""

from services.rewriter.app import create_app
from services.rewriter.settings import RewriterSettings
from shared.web.service import serve

serve(RewriterSettings, create_app)
