"""Build the graph of an invented firm: `python -m bench.questions.company.build`.

Writes `graph.tsv` next to this file. The same code writes the same bytes, because all choices are seeded.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random

from bench.questions.company import names
from bench.questions.company.names import Team

GRAPH_FILE = Path(__file__).with_name("graph.tsv")
TODAY = date(2025, 9, 30)
_SEED = 1729
_LEADERSHIP = "Leadership"

Fact = tuple[str, str, str]


class FirmBuilder:
    """Collect the facts of the firm, one area after the other; later areas refer to earlier ones."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self._random = Random(_SEED)
        self._members: dict[str, list[str]] = {}
        self._joined: dict[str, date] = {}
        self._customers_of: dict[str, list[str]] = {}
        self._products_of: dict[str, list[str]] = {}

    def build(self) -> list[Fact]:
        """Return all facts, followed by the aliases."""
        self._add_places()
        self._add_organisation()
        self._add_people()
        self._add_products()
        self._add_customers()
        self._add_contracts()
        self._add_projects()
        self._add_incidents()
        self._add_tickets()
        self._add_equipment()
        for name, aliases in names.ALIASES.items():
            self._add(name, alias=aliases)
        return self.facts

    def _add(self, subject: str, **relations: object) -> None:
        """Add one fact per relation; a relation with a list or a tuple gives one fact per item, and None gives none."""
        for relation, value in relations.items():
            for item in value if isinstance(value, list | tuple) else [value]:
                if item is not None and item != "":
                    self.facts.append((subject, relation, str(item)))

    def _add_places(self) -> None:
        for country, cities in names.COUNTRIES.items():
            for city in cities:
                self._add(city, inCountry=country)
        for office, (city, opened, seats, _) in names.OFFICES.items():
            self._add(office, loc=city, opened_on=opened, seat_cnt=seats)

    def _add_organisation(self) -> None:
        heads = names.PEOPLE[:10]
        # The chief executive heads the last department, which consists of the leadership team.
        for (department, (centre, budget)), head in zip(names.DEPARTMENTS.items(), (*heads[1:], heads[0]), strict=True):
            self._add(department, cost_ctr=centre, hasBudgetEUR=budget, dept_head=head)
        for team in names.TEAMS:
            self._add(team.name, partOfDept=team.department)
        self._add(_LEADERSHIP, partOfDept="Management")

    def _add_people(self) -> None:
        chief, *heads = names.PEOPLE[:10]
        first = list(names.DEPARTMENTS)[:9]
        self._members[_LEADERSHIP] = [chief, *heads]
        self._add_person(chief, _LEADERSHIP, "Chief Executive Officer", "Rotterdam HQ", None, ("Public Speaking",))
        self._add(chief, mgr_of=_LEADERSHIP)
        for head, department in zip(heads, first, strict=True):
            office = self._random.choice(("Rotterdam HQ", "Berlin Office", "Leeds Works"))
            self._add_person(head, _LEADERSHIP, f"VP {department}", office, chief, ("Negotiation", "Public Speaking"))
        rest = iter(names.PEOPLE[10:])
        for team in names.TEAMS:
            self._add_team(team, [next(rest) for _ in range(team.size)], heads[first.index(team.department)])

    def _add_team(self, team: Team, members: list[str], head: str) -> None:
        self._members[team.name] = members
        manager = members[0] if team.manager else None
        for place, person in enumerate(members):
            leads = person == manager
            title = team.manager if leads else team.titles[place % len(team.titles)]
            self._add_person(
                person, team.name, title, self._office(person, team), head if leads else manager or head, team.skills
            )
        if manager:
            self._add(manager, mgr_of=team.name)

    def _add_person(
        self, person: str, team: str, title: str, office: str, boss: str | None, skills: Sequence[str]
    ) -> None:
        known = self._random.sample(skills, min(len(skills), self._random.choice((1, 1, 2, 2, 3))))
        if self._random.random() < 0.3:
            known.append(self._random.choice(names.LANGUAGES))
        if self._random.random() < 0.15:
            known.append("First Aid")
        opened = date.fromisoformat(names.OFFICES[office][1])
        latest = date(2016, 12, 1) if team == _LEADERSHIP else date(2025, 8, 30)
        self._joined[person] = next(self._weekdays(opened, latest))
        self._add(person, worksOnTeam=team, rpts_to=boss, job_title=title, loc=office)
        self._add(person, start_dt=self._joined[person], hasSkill=list(dict.fromkeys(known)))

    def _office(self, person: str, team: Team) -> str:
        city = person.partition("(")[2].rstrip(")")
        if city:
            return next(office for office, (place, *_) in names.OFFICES.items() if place == city)
        if self._random.random() < 0.8:
            return team.office
        offices = list(names.OFFICES)
        return self._random.choices(offices, [names.OFFICES[office][3] for office in offices])[0]

    def _add_products(self) -> None:
        for product, (team, status, released, price, parts) in names.PRODUCTS.items():
            self._add(product, is_owned_by=team, status=status, released_on=released, price_eur=price)
            self._add(product, depends_on=parts)
        for supplier, (city, parts, _) in names.SUPPLIERS.items():
            self._add(supplier, hq_in=city, supplies=parts)

    def _add_customers(self) -> None:
        country_of = {city: country for country, cities in names.COUNTRIES.items() for city in cities}
        weights = [5 if status == "active" else 2 for _, status, *_ in names.PRODUCTS.values()]
        for customer, (city, industry) in names.CUSTOMERS.items():
            regions = (team for team, places in names.SALES_REGIONS.items() if country_of[city] in places)
            sellers = self._members[next(regions, "Sales Europe")][1:]
            wanted = self._random.choice((1, 2, 2, 2, 3, 3, 4))
            used = list(dict.fromkeys(self._random.choices(list(names.PRODUCTS), weights, k=wanted)))
            self._products_of[customer] = used
            for product in used:
                self._customers_of.setdefault(product, []).append(customer)
            self._add(customer, hq_in=city, industry=industry, acct_mgr=self._random.choice(sellers))
            self._add(customer, uses_product=used)

    def _add_contracts(self) -> None:
        # Some customers have no contract yet, and some have several.
        holders = [customer for customer in names.CUSTOMERS if customer not in ("Kilimo Fresh", "Pleiße Druck")]
        holders += self._random.sample(holders, 9)
        signed = sorted(self._days(date(2019, 1, 7), date(2025, 8, 1), len(holders)))
        self._random.shuffle(holders)
        counts: dict[int, int] = {}
        for customer, start in zip(holders, signed, strict=True):
            counts[start.year] = counts.get(start.year, 0) + 1
            value = self._random.choice((18, 24, 36, 45, 60, 72, 90, 120, 180, 240, 310)) * 1000
            self._add(
                f"CT-{start.year}-{counts[start.year]:03}",
                client=customer,
                annualValueEUR=value + self._random.randrange(20) * 250,
                start_dt=start,
                end_dt=start + timedelta(days=365 * self._random.choice((1, 2, 3, 3, 5)) - 1),
                sla_hrs=self._random.choice((4, 8, 8, 24, 24, 48, None)),
            )

    def _add_projects(self) -> None:
        starts = self._days(date(2023, 1, 9), date(2025, 6, 30), len(names.PROJECTS))
        for (project, (product, team, customer)), start in zip(names.PROJECTS.items(), starts, strict=True):
            due = self._next_weekday(start + timedelta(days=self._random.randrange(200, 700)))
            # Some people join a project that is under way, but the lead is there from the beginning.
            others = self._present([one for people in self._members.values() for one in people], due)
            team_members = self._present(self._members[team], due)
            lead = self._random.choice(self._present(self._members[team], start))
            crew = self._random.sample(team_members, min(3, len(team_members)))
            crew += self._random.sample(others, self._random.randrange(1, 4))
            self._add(project, prj_lead=lead, hasBudgetEUR=self._random.randrange(8, 180) * 5000)
            self._add(project, status=self._project_status(due), start_dt=start, due_dt=due)
            self._add(project, delivers=product, client=customer)
            for person in dict.fromkeys((lead, *crew)):
                self._add(person, worksOnPrj=project)

    def _project_status(self, due: date) -> str:
        if due < TODAY:
            return "delayed" if (TODAY - due).days < 120 and self._random.random() < 0.5 else "done"
        return self._random.choices(("on track", "at risk", "delayed", "on hold"), (6, 4, 2, 2))[0]

    def _add_incidents(self) -> None:
        responders = [one for team in ("Site Reliability", "Security", "Support Tier 2") for one in self._members[team]]
        for number, opened in enumerate(sorted(self._days(date(2023, 2, 1), TODAY, 48))):
            products = [one for one in self._customers_of if names.PRODUCTS[one][2] < opened.isoformat()]
            product = self._random.choices(products, [len(self._customers_of[one]) for one in products])[0]
            age = (TODAY - opened).days
            status = self._random.choice(("open", "mitigated", "resolved")) if age < 150 else "resolved"
            hit = min(len(self._customers_of[product]), self._random.choice((0, 1, 1, 2, 3)))
            self._add(
                f"INC-{1007 + number * 7 + self._random.randrange(6)}",
                sev=self._random.choices(("SEV1", "SEV2", "SEV3", "SEV4"), (2, 4, 6, 4))[0],
                concerns=product,
                opened_on=opened,
                status=status,
                assigned_to=self._random.choice(self._present(responders, opened)),
                root_cause=self._random.choice(names.ROOT_CAUSES) if status == "resolved" else None,
                impacted_cust=self._random.sample(self._customers_of[product], hit),
            )

    def _add_tickets(self) -> None:
        agents = self._members["Support Tier 1"][1:] + self._members["Support Tier 2"]
        for number, opened in enumerate(sorted(self._days(date(2024, 11, 4), TODAY, 66))):
            customer = self._random.choice(list(names.CUSTOMERS))
            is_recent = (TODAY - opened).days < 95
            recent = ("open", "open", "open", "waiting for customer", "solved")
            status = self._random.choice(recent if is_recent else ("closed", "closed", "solved"))
            prio = self._random.choices(("P1", "P2", "P3", "P4"), (1, 3, 5, 3))[0]
            is_unassigned = status == "open" and self._random.random() < 0.35
            self._add(
                f"TCK-{5200 + number * 9 + self._random.randrange(8)}",
                raised_by=customer,
                concerns=self._random.choice(self._products_of[customer]),
                opened_on=opened,
                prio=prio,
                status=status,
                assigned_to=None if is_unassigned else self._random.choice(self._present(agents, opened)),
            )

    def _add_equipment(self) -> None:
        sellers = {
            model: [name for name, (_, _, models) in names.SUPPLIERS.items() if model in models]
            for model in names.MODELS
        }
        numbers = iter(self._random.sample(range(100, 999), 56))
        issued: set[tuple[str | None, str]] = set()
        for model in self._random.choices(list(names.MODELS), (14, 10, 8, 9, 3, 3, 2), k=56):
            prefix, lowest, highest, teams = names.MODELS[model]
            users = [one for team in teams or self._members for one in self._members[team]]
            item = f"{prefix}-0{next(numbers)}"
            # Nobody has two laptops or two phones.
            free = [one for one in users if (one, prefix) not in issued]
            holder = self._random.choice(free) if self._random.random() < 0.85 else None
            issued.add((holder, prefix))
            self._add(item, model=model, price_eur=self._random.randrange(lowest, highest, 10), issued_to=holder)
            self._add(self._random.choice(sellers[model]), supplies=item)

    def _present(self, people: Sequence[str], day: date) -> list[str]:
        """Return the people who had joined the firm by a day."""
        return [person for person in people if self._joined[person] <= day]

    def _days(self, first: date, last: date, count: int) -> list[date]:
        """Draw different weekdays, so that every question for the first or the latest has one answer."""
        found: dict[date, None] = {}
        days = self._weekdays(first, last)
        while len(found) < count:
            found[next(days)] = None
        return list(found)

    def _weekdays(self, first: date, last: date) -> Iterator[date]:
        while True:
            day = first + timedelta(days=self._random.randrange((last - first).days + 1))
            if _is_working_day(day):
                yield day

    @staticmethod
    def _next_weekday(day: date) -> date:
        while not _is_working_day(day):
            day += timedelta(days=1)
        return day


def _is_working_day(day: date) -> bool:
    is_holiday = (day.month, day.day) == (1, 1) or (day.month == 12 and day.day > 23)
    return day.weekday() < 5 and not is_holiday


def main() -> None:
    """Write the graph, and say how large it is."""
    facts = FirmBuilder().build()
    lines = ("\t".join(fact) + "\n" for fact in facts)
    GRAPH_FILE.write_text("".join(lines), encoding="utf-8")
    own = [fact for fact in facts if fact[1] != "alias"]
    relations = {relation for _, relation, _ in own}
    print(f"{len(own):,} facts, {len(relations)} relations, {len(facts) - len(own)} aliases")


if __name__ == "__main__":
    main()
