"""Check the answers in `questions.jsonl` against the facts: `python -m bench.questions.demo_conditions_dev.check`.

With `--write`, write the file instead.
"""

import sys
from pathlib import Path

from bench.questions.demo_conditions.check import check
from bench.questions.demo_conditions_dev.expected import QUESTIONS

if __name__ == "__main__":
    sys.exit(check(Path(__file__).with_name("questions.jsonl"), QUESTIONS, __doc__))
