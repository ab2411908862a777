"""CSV in any dialect gives the same numbers; bad cells are named, all of them, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monoopt.cli.columns import Roles, is_row_number, read_objects
from monoopt.cli.tables import Dialect, find_delimiter, read_table
from monoopt.errors import DataError, OptionError


def put(tmp_path: Path, content: str | bytes) -> str:
    path = tmp_path / "table.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


PLAIN = "size,price,grade\n1,2.5,low\n3,-4,high\n"
WRITTEN = {
    "plain": (PLAIN.encode(), Dialect()),
    "bom": (b"\xef\xbb\xbf" + PLAIN.encode(), Dialect()),
    "utf-16": (PLAIN.encode("utf-16"), Dialect()),
    "semicolon": (PLAIN.replace(",", ";").encode(), Dialect()),
    "tab": (PLAIN.replace(",", "\t").encode(), Dialect()),
    "bar": (PLAIN.replace(",", "|").encode(), Dialect()),
    "decimal comma": (PLAIN.replace(",", ";").replace(".", ",").encode(), Dialect(decimal=",")),
    "quoted": (b'"size","price","grade"\n"1","2.5","low"\n"3","-4","high"\n', Dialect()),
    "blanks": (b"size , price, grade\n 1, 2.5 , low\n3 ,-4, high \n", Dialect()),
    "windows lines": (PLAIN.replace("\n", "\r\n").encode(), Dialect()),
    "old mac lines": (PLAIN.replace("\n", "\r").encode(), Dialect()),
    "no last newline": (PLAIN.strip().encode(), Dialect()),
    "blank lines": (PLAIN.replace("\n", "\n\n").encode(), Dialect()),
    "empty rows at the end": (PLAIN.encode() + b",,\n,,\n", Dialect()),
    "told": (PLAIN.replace(",", ":").encode(), Dialect(delimiter=":")),
    "skipped lines": (b"made by, a tool\nsep,;\n" + PLAIN.encode(), Dialect(skip_lines=2)),
}


@pytest.mark.parametrize("way", WRITTEN)
def test_every_dialect_gives_the_same_table(way: str, tmp_path: Path):
    content, dialect = WRITTEN[way]
    table = read_table(put(tmp_path, content), dialect)
    assert table.names == ["size", "price", "grade"]
    np.testing.assert_array_equal(table.numbers(["price", "size"]), [[2.5, 1], [-4, 3]])
    assert table.labels("grade").tolist() == ["low", "high"]


def test_accents_survive_windows_encoding(tmp_path: Path):
    path = put(tmp_path, "größe,n\né,1\n".encode("cp1252"))
    assert read_table(path, Dialect(encoding="cp1252")).names == ["größe", "n"]
    with pytest.raises(DataError, match=r"line 1: byte 0xf6 is not utf-8; give --encoding"):
        read_table(path)


def test_a_table_without_header_has_numbered_columns(tmp_path: Path):
    table = read_table(put(tmp_path, "1,2\n3,4\n"), Dialect(header=False))
    assert table.names == ["column1", "column2"] and len(table) == 2


def test_a_row_over_two_lines_keeps_later_line_numbers_right(tmp_path: Path):
    table = read_table(put(tmp_path, 'note,x\n"a\nb",1\nc,bad\n'))
    with pytest.raises(DataError, match=r"line 4, column 'x': 'bad' is text"):
        table.numbers(["x"])


@pytest.mark.parametrize(
    ("cell", "word"),
    [
        ("", "missing"),
        ("NA", "missing"),
        ("nan", "missing"),
        ("inf", "not finite"),
        ("-Infinity", "not finite"),
        ("1e999", "not finite"),
        ('"1,5"', "--decimal ','"),
        *((text, "text") for text in ("15%", "201-250", "1_000", "1 234", "0x10", "٣", "1e", "--1", ".")),
    ],
)
def test_a_cell_that_is_no_finite_number_is_named_with_advice(cell: str, word: str, tmp_path: Path):
    table = read_table(put(tmp_path, f"x,y\n1,2\n3,{cell}\n"), Dialect(null_values=("NA",)))
    with pytest.raises(DataError) as caught:
        table.numbers(["x", "y"])
    assert len(caught.value.faults) == 1
    assert "line 3, column 'y'" in caught.value.faults[0] and word in caught.value.faults[0]


def test_all_bad_cells_are_listed_not_the_first_only(tmp_path: Path):
    lines = ["a,b,class", *(f"{'x' if i % 3 == 0 else i},{'' if i % 5 == 0 else i},{i}" for i in range(30))]
    table = read_table(put(tmp_path, "\n".join(lines)))
    with pytest.raises(DataError) as caught:
        read_objects(table, Roles(target="class"))
    assert len(caught.value.faults) == 10 + 6


def test_bad_labels_and_bad_attributes_come_in_one_error(tmp_path: Path):
    table = read_table(put(tmp_path, "a,class\nx,1\n2,\n3,3\n"))
    with pytest.raises(DataError) as caught:
        read_objects(table, Roles(target="class"))
    assert len(caught.value.faults) == 2


def test_a_typo_among_numeric_labels_is_a_bad_cell_not_a_text_class(tmp_path: Path):
    table = read_table(put(tmp_path, "a,class\n1,1\n2,2\n3,2\n4,1O\n"))
    with pytest.raises(DataError, match=r"line 5, column 'class': '1O' is text"):
        table.labels("class")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_numbers_come_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, values: list[float]):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("x\n" + "\n".join(map(repr, values)))
    np.testing.assert_array_equal(read_table(str(path)).numbers(["x"])[:, 0], values)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("a,b\n", "no row under it"),
        ("a,a\n1,2\n", "'a' more than once"),
        ("a,b\n1\n1,2,3\n", r"line 2: 1 cells, wanted 2; line 3: 3 cells, wanted 2"),
    ],
)
def test_what_is_no_table_is_refused(content: str, match: str, tmp_path: Path):
    with pytest.raises(DataError, match=match):
        read_table(put(tmp_path, content))


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path):
    with pytest.raises(OptionError, match="can't read"):
        read_table(str(tmp_path / "nowhere.csv"))


@pytest.mark.parametrize("wrong", [{"delimiter": ";;"}, {"decimal": "x"}, {"delimiter": ",", "decimal": ","}], ids=str)
def test_an_impossible_dialect_is_refused(wrong: dict[str, str]):
    with pytest.raises(OptionError):
        Dialect(**wrong)


def test_the_delimiter_is_the_one_that_cuts_all_lines_alike():
    assert find_delimiter(["x;y", "1,5;2,5"]) == ";"
    assert find_delimiter(["only one column"]) == ","
    assert find_delimiter(["a,b", '"x;y;z",2']) == ","


def test_unknown_columns_and_double_parts_are_all_named(tmp_path: Path):
    table = read_table(put(tmp_path, "income,debt,class\n1,2,3\n"))
    roles = Roles(target="clas", up=["income"], down=["dept", "income"])
    with pytest.raises(OptionError) as caught:
        roles.attributes(table)
    text = str(caught.value)
    assert "'clas': no such column, did you mean 'class'?" in text
    assert "'dept': no such column, did you mean 'debt'?" in text
    assert "--down 'income': it is --up already" in text


def test_directions_follow_the_options_and_the_rest_is_gain(tmp_path: Path):
    table = read_table(put(tmp_path, "name,a,b,c,w,note,class\nx,1,2,3,1,hm,1\n"))
    roles = Roles("class", up=["a"], down=["b"], id="name", weight="w", ignore=["note"])
    assert roles.attributes(table) == {"a": 1, "b": -1, "c": 1}


def test_row_numbers_are_suspected():
    assert is_row_number(np.array([0.0, 1, 2, 3])) and not is_row_number(np.array([1.0, 3, 4]))


def test_an_order_of_numeric_labels_is_read_as_numbers(tmp_path: Path):
    table = read_table(put(tmp_path, "a,class\n1,3\n2,1\n"))
    assert read_objects(table, Roles("class", order=["3", "2", "1"])).order == [3, 2, 1]


@pytest.mark.parametrize(
    "cell", ["9007199254740993", "-9007199254740993", "+09007199254740993.00", "9007199254740993."]
)
def test_whole_numbers_that_float64_changes_are_listed(tmp_path: Path, cell: str):
    table = read_table(put(tmp_path, f"a,b\n1,{cell}\nlow,9007199254740994\n"))
    with pytest.raises(DataError, match=r"beyond 2\*\*53") as caught:
        table.numbers(["a", "b"])
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["line 2, column 'b'", "line 3, column 'a'"]
    comma = read_table(put(tmp_path, f"a\n{cell.replace('.', ',')}\n"), Dialect(decimal=",", delimiter=";"))
    with pytest.raises(DataError, match=r"beyond 2\*\*53"):
        comma.numbers(["a"])


@pytest.mark.parametrize("cell", ["9007199254740994", "1e300", "1000000000000000000000", "1" + "0" * 22, "0.1"])
def test_large_numbers_that_float64_holds_are_read(tmp_path: Path, cell: str):
    assert read_table(put(tmp_path, f"a\n{cell}\n")).numbers(["a"])[0, 0] == float(cell)


def test_labels_of_large_whole_numbers_stay_apart(tmp_path: Path):
    table = read_table(put(tmp_path, "y,z\n9007199254740993,9007199254740993\n9007199254740992,0.5\n"))
    assert table.labels("y").tolist() == [2**53 + 1, 2**53]
    with pytest.raises(DataError, match=r"beyond 2\*\*53"):
        table.labels("z")


def test_a_number_of_thousands_of_digits_is_not_finite(tmp_path: Path):
    with pytest.raises(DataError, match="is not finite"):
        read_table(put(tmp_path, f"a\n{'9' * 5000}\n")).numbers(["a"])


def test_infinite_undefined_and_missing_cells_are_told_from_text(tmp_path: Path):
    (tmp_path / "t.csv").write_text("a,b,c,y\n1,inf,NA,0\n2,nan,1,1\n-Infinity,3,-,1\n")
    table = read_table(str(tmp_path / "t.csv"))
    assert [round(table.share_of_text(name), 2) for name in "abc"] == [0, 0, 0.67]
    with pytest.raises(DataError) as said:
        table.numbers(["a", "b", "c"])
    assert said.value.faults == [
        "line 2, column 'b': 'inf' is not finite",
        "line 2, column 'c': 'NA' is text; if it means missing, say --null-value 'NA'",
        "line 3, column 'b': 'nan' is text; if it means missing, say --null-value 'nan'",
        "line 4, column 'a': '-Infinity' is not finite",
        "line 4, column 'c': '-' is text; if it means missing, say --null-value '-'",
    ]
