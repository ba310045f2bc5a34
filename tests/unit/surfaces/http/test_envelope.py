from palabre.surfaces.http.envelope import Envelope, Refusal, refusals, told


def test_what_is_told_stands_below_data() -> None:
    assert told([1]) == {"ok": True, "data": [1]}
    assert Envelope[int].model_validate(told(1)).data == 1


def test_refusals_have_one_shape_and_say_what_they_mean() -> None:
    found = refusals(404, 409)
    assert found.keys() == {404, 409}
    assert found[404] == {"model": Refusal, "description": "Not Found"}
    assert Refusal.model_json_schema()["required"] == ["ok", "error"]
