from palabre.adapters.storage.sql.knowledge.term_choice import MAX_ROWS, worth_asking


def test_frequent_terms_are_left_out_where_rare_ones_are_enough() -> None:
    frequency = {"rare": 3, "some": 40, "all": MAX_ROWS + 1, "none": 0}
    assert worth_asking(["all", "some", "none", "rare"], frequency) == ["rare", "some"]
    assert worth_asking(["all", "none"], frequency) == ["all"]
    assert worth_asking(["none"], frequency) == []
