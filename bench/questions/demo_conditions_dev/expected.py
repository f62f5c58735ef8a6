"""Compute the expected answer of each question from the facts."""

from bench.questions.demo_conditions.question import in_order
from bench.questions.demo_conditions_dev.ranks import COMPARE, SUPERLATIVE, TOP_K, YES_NO
from bench.questions.demo_conditions_dev.sets import AND, COUNT, NOT, OR
from bench.questions.demo_conditions_dev.texts import SECOND_STAGE, TEXT
from bench.questions.demo_conditions_dev.values import FILTER, GROUP, SUM_AVERAGE

QUESTIONS = in_order(
    (COUNT, AND, OR, NOT, SUPERLATIVE, TOP_K, COMPARE, YES_NO, FILTER, SUM_AVERAGE, GROUP, TEXT, SECOND_STAGE)
)
