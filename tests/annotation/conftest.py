from parser_fixtures import (  # noqa: F401
    make_nlp,
    make_parser,
    same_numbers,
    sample,
    shared,
    trained,
)
