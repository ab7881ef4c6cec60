"""The OpenAPI description of the server."""

from typing import Any

from pydantic.json_schema import models_json_schema

import spacy_npparse
from spacy_npparse.serving.parsing import ParseRequest
from spacy_npparse.serving.udpipe import ProcessRequest

_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")


def description() -> dict[str, Any]:
    """Describe the requests, from the models that validate them."""
    _, schemas = models_json_schema(
        [(ProcessRequest, "validation"), (ParseRequest, "validation")],
        ref_template="#/components/schemas/{model}",
    )
    responses = {"200": {"description": "JSON"}, "4XX": {"description": "The reason, as text"}}

    def posted(kind: type, *content: str) -> dict[str, Any]:
        schema = {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}
        body = {"required": True, "content": dict.fromkeys(content, schema)}
        return {"post": {"summary": kind.__doc__, "requestBody": body, "responses": responses}}

    return {
        "openapi": "3.1.0",
        "info": {"title": "spacy_npparse", "version": spacy_npparse.__version__},
        "paths": {
            "/models": {"get": {"summary": "The models", "responses": responses}},
            "/process": posted(ProcessRequest, *_FORMS),
            "/parse": posted(ParseRequest, "application/json"),
        },
        "components": {"schemas": schemas["$defs"]},
    }
