"""State in plain Python what the questions with conditions ask for, so that a wrong plan does not verify itself."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from statistics import fmean

from bench.questions.company.facts import Facts, top

Expected = set[str] | list[str] | int | float | bool | dict[str, int] | dict[str, float]


def _tickets(f: Facts, status: str) -> set[str]:
    return f.by("status", status) & f.having("prio")


def _contracts(f: Facts, customer: str) -> set[str]:
    return f.by("client", customer) & f.having("annualValueEUR")


def _incidents(f: Facts, product: str) -> set[str]:
    return f.by("concerns", product) & f.having("sev")


def _customers_in(f: Facts, country: str) -> set[str]:
    return f.follow(country, ["^inCountry", "^hq_in"]) & f.having("industry")


def _sizes(f: Facts, subjects: Iterable[str], relation: str) -> dict[str, int]:
    """Count the subjects per object of a relation."""
    return dict(Counter(object_ for one in subjects for object_ in f.get(one, relation)))


def _numbers(f: Facts, relation: str, subjects: Iterable[str]) -> dict[str, int]:
    return {one: f.number(one, relation) for one in subjects}


def _days(f: Facts, relation: str, subjects: Iterable[str]) -> dict[str, date]:
    return {one: f.day(one, relation) for one in subjects}


def _price_per_model(f: Facts) -> dict[str, float]:
    models = {f.one(item, "model") for item in f.having("model")}
    return {model: fmean(_numbers(f, "price_eur", f.by("model", model)).values()) for model in models}


EXPECTED: Mapping[str, Callable[[Facts], Expected]] = {
    # Counts
    "How many people are on the Robotics Lab team?": lambda f: len(f.by("worksOnTeam", "Robotics Lab")),
    "how many customers do we have on Atlas 2?": lambda f: len(f.by("uses_product", "Atlas 2")),
    "how many direct reports does Beatriz Salgado have": lambda f: len(f.by("rpts_to", "Beatriz Salgado")),
    "How many tickets are marked as open?": lambda f: len(_tickets(f, "open")),
    "how many of our people are based in Germany?": lambda f: len(
        f.follow("Germany", ["^inCountry", "^loc", "^loc"]) & f.having("worksOnTeam")
    ),
    "how many different customers have been hit by a Tandem incident so far": lambda f: len(
        f.follow("Tandem", ["^concerns", "impacted_cust"])
    ),
    "no. of SEV2 incidents Noor Rahmani has handled?": lambda f: len(
        f.by("sev", "SEV2") & f.by("assigned_to", "Noor Rahmani")
    ),
    # And
    "who in the Berlin office knows Kubernetes?": lambda f: (
        f.by("loc", "Berlin Office") & f.by("hasSkill", "Kubernetes")
    ),
    "Is there anybody who knows both Python and machine learning? Who?": lambda f: (
        f.by("hasSkill", "Python") & f.by("hasSkill", "Machine Learning")
    ),
    "which contracts do we have with Isarwerk Automotive?": lambda f: _contracts(f, "Isarwerk Automotive"),
    "Which active products belong to the Beacon Firmware team?": lambda f: (
        f.by("is_owned_by", "Beacon Firmware") & f.by("status", "active")
    ),
    "list the pharma customers that use Fathom please": lambda f: (
        f.by("industry", "pharma") & f.by("uses_product", "Fathom")
    ),
    "Which customers use both Meridian and Harbor?": lambda f: (
        f.by("uses_product", "Meridian") & f.by("uses_product", "Harbor")
    ),
    "projects delivering Atlas 2 that are done?": lambda f: f.by("delivers", "Atlas 2") & f.by("status", "done"),
    # Or
    "who can do ROS or computer vision?": lambda f: f.by("hasSkill", "ROS") | f.by("hasSkill", "Computer Vision"),
    "Which projects are at risk or delayed?": lambda f: (
        f.having("prj_lead") & (f.by("status", "at risk") | f.by("status", "delayed"))
    ),
    "customers based in Sweden or Poland?": lambda f: _customers_in(f, "Sweden") | _customers_in(f, "Poland"),
    "which P1 or P2 tickets are still open": lambda f: _tickets(f, "open") & (f.by("prio", "P1") | f.by("prio", "P2")),
    # Not
    "which customers have no contract with us at all?": lambda f: {
        one for one in f.having("industry") if not _contracts(f, one)
    },
    "Are there open tickets that nobody is assigned to? If so which?": lambda f: (
        _tickets(f, "open") - f.having("assigned_to")
    ),
    "which equipment hasn't been handed out to anyone?": lambda f: f.having("model") - f.having("issued_to"),
    "who in Sales Europe doesn't look after any customers": lambda f: {
        one for one in f.by("worksOnTeam", "Sales Europe") if not f.by("acct_mgr", one)
    },
    "Which team has no manager?": lambda f: {one for one in f.having("partOfDept") if not f.by("mgr_of", one)},
    # Most and least
    "what are our three biggest projects by budget?": lambda f: top(
        _numbers(f, "hasBudgetEUR", f.having("prj_lead")), 3
    ),
    "which product gets the most tickets?": lambda f: top(_sizes(f, f.having("prio"), "concerns")),
    "Who looks after the most customers?": lambda f: top(_sizes(f, f.having("industry"), "acct_mgr")),
    "which office has the fewest seats?": lambda f: top(_numbers(f, "seat_cnt", f.having("seat_cnt")), lowest=True),
    # Dates
    "who has joined us since the start of 2025?": lambda f: {
        one for one in f.having("worksOnTeam") if f.day(one, "start_dt") >= date(2025, 1, 1)
    },
    "Which contracts expire in 2027?": lambda f: {
        one for one in f.having("annualValueEUR") if f.day(one, "end_dt").year == 2027
    },
    "which offices did we open before 2012?": lambda f: {
        one for one in f.having("seat_cnt") if f.day(one, "opened_on").year < 2012
    },
    "incidents opened after 1 June 2025?": lambda f: {
        one for one in f.having("sev") if f.day(one, "opened_on") > date(2025, 6, 1)
    },
    "which projects are due before December 2025 but not done yet?": lambda f: (
        {one for one in f.having("due_dt") if f.day(one, "due_dt") < date(2025, 12, 1)} - f.by("status", "done")
    ),
    # Numbers
    "which contracts are worth more than 200k a year?": lambda f: {
        one for one in f.having("annualValueEUR") if f.number(one, "annualValueEUR") > 200_000
    },
    "projects with a budget under 150,000 euros?": lambda f: {
        one for one in f.having("prj_lead") if f.number(one, "hasBudgetEUR") < 150_000
    },
    "Which departments have a budget above 3 million?": lambda f: {
        one for one in f.having("cost_ctr") if f.number(one, "hasBudgetEUR") > 3_000_000
    },
    "who is on more than 4 projects": lambda f: {
        one for one in f.having("worksOnPrj") if len(f.get(one, "worksOnPrj")) > 4
    },
    "contracts with a 4 hour SLA?": lambda f: f.by("sla_hrs", "4"),
    # Yes or no
    "is Juniper finished?": lambda f: f.one("Juniper", "status") == "done",
    "does Piotr Gajewski speak Polish?": lambda f: "Polish" in f.get("Piotr Gajewski", "hasSkill"),
    "Do we have anyone in Nairobi who knows Linux?": lambda f: bool(
        f.by("loc", "Nairobi Office") & f.by("hasSkill", "Linux")
    ),
    "has Trellborg Pharma ever raised a ticket with us?": lambda f: bool(f.by("raised_by", "Trellborg Pharma")),
    "Is Hopscotch's budget higher than half a million?": lambda f: f.number("Hopscotch", "hasBudgetEUR") > 500_000,
    # Aggregates
    "what's the average budget of the projects that are on track?": lambda f: fmean(
        _numbers(f, "hasBudgetEUR", f.by("status", "on track")).values()
    ),
    "What do our contracts with Glenorchy Dairies add up to per year?": lambda f: sum(
        _numbers(f, "annualValueEUR", _contracts(f, "Glenorchy Dairies")).values()
    ),
    "how many seats do we have across all offices?": lambda f: sum(
        _numbers(f, "seat_cnt", f.having("seat_cnt")).values()
    ),
    "avg price of the gear issued to people on the Design team?": lambda f: fmean(
        _numbers(f, "price_eur", f.follow("Design", ["^worksOnTeam", "^issued_to"])).values()
    ),
    # Groups
    "how many incidents have we had per severity?": lambda f: _sizes(f, f.having("sev"), "sev"),
    "headcount by office please": lambda f: _sizes(f, f.having("worksOnTeam"), "loc"),
    "What is the average price for each equipment model?": _price_per_model,
    # Comparisons
    "who joined earlier, Mateo Ibarrola or Vikram Sethuraman?": lambda f: top(
        _days(f, "start_dt", ["Mateo Ibarrola", "Vikram Sethuraman"]), lowest=True
    ),
    "Have we had more incidents with Harbor than with Tandem?": lambda f: (
        len(_incidents(f, "Harbor")) > len(_incidents(f, "Tandem"))
    ),
    "how much more does Atlas 2 cost than the old Atlas?": lambda f: (
        f.number("Atlas 2", "price_eur") - f.number("Atlas", "price_eur")
    ),
    # First and latest
    "who has been with the company the longest?": lambda f: top(
        _days(f, "start_dt", f.having("worksOnTeam")), lowest=True
    ),
    "what was the latest Meridian incident?": lambda f: top(_days(f, "opened_on", _incidents(f, "Meridian"))),
    "which product came out most recently?": lambda f: top(_days(f, "released_on", f.having("released_on"))),
    "whats the oldest open ticket from Torino Ricambi": lambda f: top(
        _days(f, "opened_on", _tickets(f, "open") & f.by("raised_by", "Torino Ricambi")), lowest=True
    ),
}
