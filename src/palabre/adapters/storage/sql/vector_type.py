"""The column type of pgvector, as far as we write it."""

from collections.abc import Callable, Sequence

from sqlalchemy import BindParameter, ColumnElement, Dialect, cast
from sqlalchemy.types import UserDefinedType


class VectorType(UserDefinedType[Sequence[float]]):
    """`vector`, of any length."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "VECTOR"

    def bind_processor(
        self,
        dialect: Dialect,  # noqa: ARG002 - the interface's
    ) -> Callable[[Sequence[float] | None], str | None]:
        def process(value: Sequence[float] | None) -> str | None:
            return None if value is None else f"[{','.join(map(repr, map(float, value)))}]"

        return process

    def bind_expression(
        self, bindvalue: BindParameter[Sequence[float]]
    ) -> ColumnElement[Sequence[float]]:
        return cast(bindvalue, self)
