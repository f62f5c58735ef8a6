"""Write small workbooks, in the format of Excel."""

import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_EPOCH = datetime(1899, 12, 30)
_FORMATS = ("General", "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss")


def write_workbook(file: Path, sheets: Mapping[str, Sequence[Sequence[Any]]], hidden: Sequence[str] = ()) -> Path:
    """Write sheets of texts, numbers, booleans, dates, and datetimes; None is an empty cell."""
    numbers = range(1, len(sheets) + 1)
    names = zip(numbers, sheets, strict=True)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"'
        f"{' state=' + chr(34) + 'hidden' + chr(34) if name in hidden else ''}/>"
        for number, name in names
    )
    relations = "".join(_relation(f"r{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in numbers)
    relations += _relation("s", "styles", "styles.xml")
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", _content_types(len(sheets)))
        archive.writestr("_rels/.rels", _relations(_relation("w", "officeDocument", "xl/workbook.xml")))
        archive.writestr("xl/_rels/workbook.xml.rels", _relations(relations))
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{_SHEET}" xmlns:r="{_RELATION}"><sheets>{listed}</sheets></workbook>'
        )
        archive.writestr("xl/styles.xml", _styles())
        for number, rows in zip(numbers, sheets.values(), strict=True):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", _sheet(rows))
    return file


def _relation(id_: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{id_}" Type="{_RELATION}/{kind}" Target="{target}"/>'


def _relations(relations: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'


def _content_types(number: int) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>'
        for n in range(1, number + 1)
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{kind}.styles+xml"/>{sheets}</Types>'
    )


def _styles() -> str:
    formats = "".join(f'<numFmt numFmtId="{164 + n}" formatCode="{one}"/>' for n, one in enumerate(_FORMATS))
    cells = "".join(f'<xf numFmtId="{164 + n}"/>' for n in range(len(_FORMATS)))
    return f'<styleSheet xmlns="{_SHEET}"><numFmts>{formats}</numFmts><cellXfs>{cells}</cellXfs></styleSheet>'


def _sheet(rows: Sequence[Sequence[Any]]) -> str:
    lines = ""
    for number, row in enumerate(rows, 1):
        cells = "".join(_cell(f"{chr(65 + place)}{number}", value) for place, value in enumerate(row))
        lines += f'<row r="{number}">{cells}</row>' if cells else ""
    return f'<worksheet xmlns="{_SHEET}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(place: str, value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        case int() | float():
            return f'<c r="{place}"><v>{value}</v></c>'
        case datetime():
            days = (value - _EPOCH).total_seconds() / 86_400
            return f'<c r="{place}" s="2"><v>{days}</v></c>'
        case date():
            return f'<c r="{place}" s="1"><v>{(datetime(*value.timetuple()[:3]) - _EPOCH).days}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'
