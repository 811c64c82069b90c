"""The configuration: precedence, origins, and every fault at once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.config import (
    SETTINGS,
    Config,
    iter_settings,
    load_config,
)
from hebbs_index.config_template import commented_config, toml_value
from hebbs_index.errors import ConfigError, InputError


def write(folder: Path, text: str) -> Path:
    (folder / "hebbs.toml").write_text(text, encoding="utf-8")
    return folder


def faults(folder: Path, text: str = "", **sources: dict[str, str]) -> tuple[str, ...]:
    write(folder, text)
    with pytest.raises(ConfigError) as caught:
        load_config(folder, environ=sources.get("environ", {}), flags=sources.get("flags"))
    return caught.value.problems


def test_without_a_file_everything_is_at_its_default(tmp_path):
    config = load_config(tmp_path, environ={})

    assert (config.contradiction, config.watch) == (Config().contradiction, Config().watch)
    assert {origin for _name, _value, origin in iter_settings(config)} == {"default"}
    assert config.path is None


def test_a_flag_wins_over_a_variable_over_the_file_over_the_default(tmp_path):
    write(tmp_path, "[watch]\nquiet_ms = 1\nsettle_ms = 1\nburst_events = 1\n")

    config = load_config(
        tmp_path,
        environ={"HEBBS_WATCH_QUIET_MS": "2", "HEBBS_WATCH_SETTLE_MS": "2"},
        flags={"watch.quiet_ms": 3},
    )

    watch = config.watch
    values = (watch.quiet_ms, watch.settle_ms, watch.burst_events, watch.burst_quiet_ms)
    assert values == (3, 2, 1, 10_000)
    origins = [config.origin(f"watch.{name}") for name in ("quiet_ms", "settle_ms")]
    assert origins == ["flag", "HEBBS_WATCH_SETTLE_MS"]
    assert config.origin("watch.burst_events") == "hebbs.toml"
    assert config.origin("watch.burst_quiet_ms") == "default"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("contradiction.enabled", "off", False),
        ("contradiction.enabled", "1", True),
        ("recall.k", " 7 ", 7),
        ("contradiction.min_similarity", "0.25", 0.25),
        ("corpus.exclude", "a/, *.tmp", ("a/", "*.tmp")),
        ("corpus.exclude", '["a,b", "c"]', ("a,b", "c")),
        ("corpus.exclude", "", ()),
        ("corpus.entity_folders", "x/entities/", ("x/entities",)),
        ("language.model", "en_core_web_md", "en_core_web_md"),
    ],
)
def test_a_variable_is_read_in_the_type_of_its_setting(tmp_path, name, text, value):
    variable = "HEBBS_" + name.replace(".", "_").upper()

    assert load_config(tmp_path, environ={variable: text}).get(name) == value
    assert load_config(tmp_path, environ={}, flags={name: text}).get(name) == value


def test_a_whole_number_is_a_number(tmp_path):
    write(tmp_path, "[contradiction]\nmin_similarity = 1\n")

    value = load_config(tmp_path, environ={}).contradiction.min_similarity

    assert (value, type(value)) == (1.0, float)


def test_all_faults_of_all_sources_are_listed_at_once(tmp_path):
    text = '[watch]\nquite_ms = 3\npoll = "yes"\n\n[contradiction]\nmin_confidence = 2\n[recal]\n'

    found = faults(tmp_path, text, environ={"HEBBS_RECALL_K": "many"}, flags={"watch.pol": "true"})

    assert [fault.removeprefix(f"{tmp_path / 'hebbs.toml'}: ") for fault in found] == [
        "line 2: unknown setting watch.quite_ms: did you mean watch.quiet_ms?",
        "line 3: watch.poll must be true or false, not the text 'yes'",
        "line 6: contradiction.min_confidence must be between 0 and 1, not 2",
        "line 7: unknown section [recal]: did you mean [recall]?",
        "HEBBS_RECALL_K: recall.k must be a whole number, not 'many'",
        "flag: unknown setting watch.pol: did you mean watch.poll?",
    ]


def test_the_file_is_named_once_if_it_alone_is_at_fault(tmp_path):
    write(tmp_path, "[watch]\npoll = 1\nquiet_ms = -1\n")

    with pytest.raises(ConfigError, match=r"hebbs\.toml has 2 problems") as caught:
        load_config(tmp_path, environ={})

    assert str(caught.value).count("hebbs.toml") == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[watch\n", "line 1, column 7: not valid TOML"),
        ("a = \nb = 1\n", "line 1, column 5: not valid TOML"),
        ("[watch]\npoll = true\npoll = false\n", "not valid TOML"),
        ("min_similarity = 0.5\n", "move it under [contradiction]"),
        ("watch = 3\n", "watch is a section: write [watch]"),
        ("[watch]\nquiet_ms = true\n", "must be a whole number, not true"),
        ("[watch]\nquiet_ms = 1.5\n", "must be a whole number, not 1.5"),
        ("[watch]\nburst_events = 0\n", "must be at least 1, not 0"),
        ("[contradiction]\nmin_similarity = nan\n", "between 0 and 1, not nan"),
        ("[contradiction]\nmin_similarity = inf\n", "between 0 and 1, not inf"),
        ("[corpus]\nexclude = 'a'\n", "must be a list of texts, not the text 'a'"),
        ("[corpus]\nexclude = [1]\n", "must be a list of texts, not the list [1]"),
        ("[corpus]\nexclude = ['[z-a]']\n", "'[z-a]', which is not a valid .gitignore pattern"),
        ("[corpus]\nexclude = ['!']\n", "'!', which is not a valid .gitignore pattern"),
        ("[corpus]\ninclude = ['']\n", "'', which can never match a file"),
        ("[corpus]\nentity_folders = ['../x']\n", "'../x', which is not a folder below the root"),
        ("[corpus]\nentity_folders = ['/x']\n", "'/x', which is not a folder below the root"),
        ("[embedding]\nmodel_sha256 = 'abc'\n", "must be 64 hexadecimal digits"),
        ("[language]\nmodel = {a = 1}\n", "must be a text, not a table"),
        ("[watch]\nceiling_ms = 10\n", "ceiling_ms must not be less than watch.quiet_ms"),
        ("[nonsense]\n", "the sections are corpus, contradiction"),
        ("[recall]\nzzz = 1\n", "[recall] has k"),
    ],
)
def test_a_fault_says_what_is_wrong_and_where(tmp_path, text, fault):
    (found,) = faults(tmp_path, text)

    assert fault in found


def test_both_bad_patterns_of_a_list_are_named(tmp_path):
    (found,) = faults(tmp_path, "[corpus]\nexclude = ['[z-a]', 'ok', '!']\n")

    assert "'[z-a]'" in found
    assert "'!'" in found


def test_a_file_that_is_no_text_is_a_fault_with_its_line(tmp_path):
    (tmp_path / "hebbs.toml").write_bytes(b"[watch]\n# caf\xe9\n")

    with pytest.raises(ConfigError, match="line 2: not UTF-8 text"):
        load_config(tmp_path, environ={})


def test_a_folder_in_the_place_of_the_file_is_a_fault(tmp_path):
    (tmp_path / "hebbs.toml").mkdir()

    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path, environ={})


def test_deep_nesting_is_a_fault_and_no_crash(tmp_path):
    (found,) = faults(tmp_path, "a = " + "[" * 100_000)

    assert "nested too deeply" in found or "not valid TOML" in found


def test_a_byte_order_mark_is_no_fault(tmp_path):
    (tmp_path / "hebbs.toml").write_bytes(b"\xef\xbb\xbf[watch]\npoll = true\n")

    assert load_config(tmp_path, environ={}).watch.poll


def test_variables_that_name_no_section_are_not_settings(tmp_path):
    others = {"HEBBS_ROOT": "x", "HEBBS_DATA": "x", "HEBBS_CORPORA": "x", "HEBBS_FORMAT": "raw"}

    assert load_config(tmp_path, environ=others | {"HEBBS_AUTHOR": "ada"}).origins == {}


def test_a_variable_of_a_section_with_an_unknown_key_is_a_fault(tmp_path):
    (found,) = faults(tmp_path, environ={"HEBBS_WATCH_QUITE_MS": "1"})

    assert found == (
        "HEBBS_WATCH_QUITE_MS: unknown setting watch.quite_ms: did you mean watch.quiet_ms?"
    )


def test_asking_for_an_unknown_setting_suggests_the_right_one():
    with pytest.raises(InputError, match=r"did you mean contradiction\.min_confidence\?"):
        Config().get("contradiction.min_confidense")


def test_the_commented_file_changes_nothing_and_names_every_setting(tmp_path):
    write(tmp_path, commented_config())

    assert load_config(tmp_path, environ={}).origins == {}
    for name in SETTINGS:
        assert f"\n#{name.split('.')[1]} = " in commented_config()


def test_the_commented_file_states_the_defaults(tmp_path):
    lines = commented_config().splitlines()
    uncommented = [line[1:] if " = " in line and line[1] != " " else line for line in lines]
    write(tmp_path, "\n".join(uncommented))

    config = load_config(tmp_path, environ={})

    assert [value for _n, value, _o in iter_settings(config)] == [
        value for _n, value, _o in iter_settings(Config())
    ]
    assert set(config.origins) == set(SETTINGS)


def test_this_repository_names_only_settings_that_exist():
    config = load_config(Path(__file__).parents[1], environ={})

    assert "examples/corpus/entities" in config.corpus.entity_folders


def test_a_brought_model_is_found_from_the_root(tmp_path):
    write(tmp_path, "[embedding]\nmodel = 'models/mine'\n")

    assert load_config(tmp_path, environ={}).model_folder == tmp_path / "models" / "mine"
    assert Config().model_folder is None


@given(st.dictionaries(st.text(max_size=12), st.integers() | st.text(max_size=8), max_size=5))
def test_whatever_a_section_holds_it_is_read_or_named(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("config")
    text = "".join(f"{toml_value(key)} = {toml_value(value)}\n" for key, value in table.items())
    (folder / "hebbs.toml").write_bytes(("[recall]\n" + text).encode("utf-8", "surrogatepass"))

    try:
        config = load_config(folder, environ={})
    except ConfigError as error:
        assert error.problems
    else:
        assert set(table) <= {"k"}
        assert 1 <= config.recall.k <= 1000


def test_toml_values_are_read_back_as_written():
    for value in (True, 0.5, 3, 'a "b" \\ c', ("x", "é")):
        read = tomllib.loads(f"v = {toml_value(value)}")["v"]
        assert (tuple(read) if isinstance(read, list) else read) == value
