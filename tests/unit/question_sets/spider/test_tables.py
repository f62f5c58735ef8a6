from graph.plan.schema import KindSchema
from graph.plan.values import ValueType
from question_sets.spider.tables import ForeignKey
from tests.unit.question_sets.spider.databases import cinema, company, network, published, read


def _targets(keys: list[ForeignKey]) -> dict[str, tuple[str, str]]:
    return {key.column: (key.target, key.target_column) for key in keys}


def test_a_table_that_only_links_two_others_is_a_relationship_type_with_properties() -> None:
    database = read(cinema())
    table = database.tables.tables["cast_member"]
    assert table.type and table.kind not in database.schema.kinds
    described = database.schema.relationships[table.type]
    assert described.ends == {("Film", "Actor")}
    assert set(described.properties) == {"role"}


def test_a_link_leads_from_its_first_column_to_its_second() -> None:
    row = published(
        "school",
        {"course": "course_id:number title", "prereq": "course_id:number prereq_id:number"},
        ["course.course_id", "prereq.course_id"],
        [("prereq.prereq_id", "course.course_id"), ("prereq.course_id", "course.course_id")],
    )
    assert list(_targets(read(row).tables.tables["prereq"].foreign_keys)) == ["course_id", "prereq_id"]


def test_a_foreign_key_is_a_relationship_and_no_property() -> None:
    database = read(cinema())
    assert "director_id" not in {column for kind in database.schema.kinds.values() for column in kind.properties}
    assert any(one.ends == {("Film", "Director")} for one in database.schema.relationships.values())


def test_a_foreign_key_that_leads_from_a_key_is_turned_around() -> None:
    tables = read(company()).tables.tables
    assert _targets(tables["badge"].foreign_keys) == {"emp_id": ("employee", "emp_id")}
    assert "emp_id" not in _targets(tables["employee"].foreign_keys)


def test_a_join_supplies_a_missing_foreign_key() -> None:
    query = "SELECT T1.name FROM employee T1 JOIN department T2 ON T1.dept_no = T2.dept_no"
    assert _targets(read(company(), query).tables.tables["employee"].foreign_keys) == {
        "manager_id": ("employee", "emp_id"),
        "dept_no": ("department", "dept_no"),
    }
    assert "dept_no" not in _targets(read(company()).tables.tables["employee"].foreign_keys)


def test_a_published_key_that_is_a_part_of_a_key_identifies_no_rows() -> None:
    tables = read(network()).tables.tables
    assert tables["follows"].primary_key == ""
    assert tables["user"].primary_key == "uid"


def test_a_key_to_a_part_of_a_key_leads_to_what_that_part_refers_to() -> None:
    row = published(
        "school",
        {
            "student": "student_id:number name",
            "course": "course_id:number title",
            "registration": "student_id:number course_id:number day",
            "attendance": "attendance_id:number student_id:number day",
        },
        ["student.student_id", "course.course_id", "registration.student_id", "attendance.attendance_id"],
        [
            ("registration.student_id", "student.student_id"),
            ("registration.course_id", "course.course_id"),
            ("attendance.student_id", "registration.student_id"),
        ],
    )
    assert _targets(read(row).tables.tables["attendance"].foreign_keys) == {"student_id": ("student", "student_id")}


def test_relationships_between_the_same_kinds_have_different_types() -> None:
    row = published(
        "sport",
        {"team": "id:number name", "game": "id:number team:number team_id:number day place score size"},
        ["team.id", "game.id"],
        [("game.team", "team.id"), ("game.team_id", "team.id")],
    )
    types = [key.type for key in read(row).tables.tables["game"].foreign_keys]
    assert len(set(types)) == 2


def test_literals_of_queries_determine_types_and_samples() -> None:
    database = read(
        cinema(),
        "SELECT title FROM film WHERE gross > 2.5",
        "SELECT title FROM film WHERE released = '1999-03-31' AND title LIKE '%Matrix%'",
    )
    film: KindSchema = database.schema.kinds["Film"]
    assert film.properties["gross"].content is ValueType.FLOAT
    assert film.properties["year"].content is ValueType.INTEGER
    assert film.properties["released"].content is ValueType.DATE
    assert film.properties["title"].samples == ("Matrix",)
    assert film.name_property == "title"


def test_a_column_that_queries_sum_is_a_number() -> None:
    database = read(cinema(), "SELECT sum(role) FROM cast_member")
    [link] = [one for one in database.schema.relationships.values() if one.properties]
    assert link.properties["role"].content is ValueType.INTEGER


def test_a_key_may_refer_to_a_column_that_is_no_primary_key() -> None:
    row = published(
        "cars",
        {"model": "id:number maker model", "car": "id:number model weight:number"},
        ["model.id", "car.id"],
        [("car.model", "model.model")],
    )
    assert _targets(read(row).tables.tables["car"].foreign_keys) == {"model": ("model", "model")}


def test_the_columns_of_a_key_with_several_columns_refer_to_no_row() -> None:
    row = published(
        "college",
        {"section": "section_id:number term year:number", "takes": "grade section_id:number term year:number"},
        ["section.section_id"],
        [("takes.term", "section.term"), ("takes.year", "section.year")],
    )
    assert not read(row).tables.tables["takes"].foreign_keys
