"""Factories take settings of any type and value, or refuse them with a message that names them."""

import pytest
import spacy
from parser_helpers import FACTORIES, TINY_MODEL

pytestmark = pytest.mark.fuzz
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    10**6,
    10**30,
    0.0,
    0.5,
    1.5,
    -0.1,
    float("nan"),
    float("inf"),
]
VALUES += [
    "",
    "x",
    "greedy",
    "exact",
    "margin",
    "log-likelihood",
    "joint",
    "preset",
    "static",
    [],
    ["x"],
]
VALUES += [{}, {"x": 1}, {"beam_width": 4}, {"@scorers": "x"}]


def paths_of(config, prefix=()):
    """Yield the path of each setting: the names of its sections, and its own name."""
    for name, value in config.items():
        if not name.startswith("@"):
            yield (*prefix, name)
        if isinstance(value, dict):
            yield from paths_of(value, (*prefix, name))


def changed(config, path, random):
    """Return the config with another value for one setting, often of the same type."""
    name, *rest = path
    old = config[name]
    if rest:
        return {**config, name: changed(old, rest, random)}
    similar = [value for value in VALUES if type(value) is type(old)]
    return {**config, name: random.choice(similar if similar and random.random() < 0.6 else VALUES)}


@pytest.fixture(scope="module")
def defaults():
    """Return the default settings of each factory."""
    found = {}
    for name in sorted({factory for factory, _ in FACTORIES.values()}):
        nlp = spacy.blank("xx")
        nlp.add_pipe(f"{name}_parser", name="parser", config={"model": TINY_MODEL})
        config = nlp.config["components"]["parser"]
        found[name] = {key: config[key] for key in config if key != "factory"}
    return found


def test_settings(fuzz, defaults):
    def test(random):
        name = random.choice(sorted(defaults))
        config = defaults[name]
        paths = []
        for _ in range(random.randint(1, 2)):
            paths.append(random.choice(sorted(paths_of(config))))
            config = changed(config, paths[-1], random)
        try:
            spacy.blank("xx").add_pipe(f"{name}_parser", name="parser", config=config)
        except ValueError as error:
            # spaCy itself refuses unknown functions (E893).
            names = ["E893", *(path[-1] for path in paths)]
            assert any(name in str(error) for name in names), (paths, str(error))
            return "refused"
        return "accepted"

    fuzz("settings of parsers", 30, test)
