"""Candidates are a property of the set of vectors, however they arrived."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbs_index.contradictions.candidates import (
    VectorSpace,
    concerned,
    exact_rows,
    look_up,
)
from hebbs_index.quantized import SCALE, products, quantize, to_product, to_similarity

CUT = 0.5


def unit(seed: int, dimensions: int = 6) -> np.ndarray:
    vector = np.random.default_rng(seed).standard_normal(dimensions)
    return quantize((vector / np.linalg.norm(vector))[None, :])[0]


class Model:
    """A store in miniature: vectors with floors, updated step by step."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.vectors: dict[str, np.ndarray] = {}
        self.floors: dict[str, tuple[float, str] | None] = {}
        self.pairs: dict[tuple[int, int], float] = {}

    def ids(self) -> dict[str, int]:
        return {key: int(key, 16) for key in sorted(self.vectors)}

    def space(self) -> VectorSpace:
        keys = sorted(self.vectors)
        matrix = np.array([self.vectors[key] for key in keys], dtype=np.float32).reshape(-1, 6)
        return VectorSpace(
            np.array([int(key, 16) for key in keys], dtype=np.int64),
            keys,
            matrix,
            [self.floors.get(key) for key in keys],
        )

    def change(self, add: dict[str, np.ndarray], remove: list[str]) -> None:
        gone = {key: self.vectors.pop(key) for key in remove}
        for key in remove:
            self.floors.pop(key, None)
        self.vectors.update(add)
        space = self.space()
        changed = list(add.items()) + list(gone.items())
        matrix = np.array([vector for _key, vector in changed], dtype=np.float32).reshape(-1, 6)
        rows = concerned(space, matrix, [key for key, _vector in changed], CUT)
        rows |= {position for position, key in enumerate(space.keys) if key in add}
        found = look_up(space, sorted(rows), k=self.k, near=exact_rows(space.matrix, CUT))
        dead = {int(key, 16) for key in remove}
        self.pairs = {
            pair: similarity
            for pair, similarity in self.pairs.items()
            if not dead & set(pair) and not found.looked_up & set(pair)
        }
        self.pairs.update(found.pairs)
        by_id = {number: key for key, number in self.ids().items()}
        self.floors.update({by_id[number]: floor for number, floor in found.floors.items()})


def from_scratch(vectors: dict[str, np.ndarray], k: int) -> Model:
    model = Model(k)
    model.change(dict(vectors), [])
    return model


steps = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 15), st.booleans()), min_size=1, max_size=40
)


@settings(max_examples=150, deadline=None)
@given(steps=steps, k=st.integers(1, 4))
def test_incremental_candidates_equal_those_from_scratch(steps, k):
    model = Model(k)
    for name, seed, remove in steps:
        key = f"{name:08x}"
        if remove and key in model.vectors:
            model.change({}, [key])
        elif key not in model.vectors:
            model.change({key: unit(seed)}, [])
    fresh = from_scratch(model.vectors, k)
    assert model.pairs == fresh.pairs
    assert model.floors == fresh.floors


@given(st.permutations(list(range(12))))
@settings(max_examples=30, deadline=None)
def test_the_order_of_arrival_changes_nothing(order):
    model = Model(2)
    for number in order:
        model.change({f"{number:08x}": unit(number % 7)}, [])
    everything = {f"{number:08x}": unit(number % 7) for number in range(12)}
    assert model.pairs == from_scratch(everything, 2).pairs


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_products_of_grid_vectors_are_exact_integers(first, second):
    a, b = unit(first, 384), unit(second, 384)
    exact = int(np.dot(a.astype(np.int64), b.astype(np.int64)))
    assert products(a[None, :], b[None, :])[0, 0] == exact


def test_similarity_is_a_true_cosine():
    a = np.zeros(4)
    a[0] = 1.0
    b = np.array([0.6, 0.8, 0, 0])
    product = products(quantize(a[None, :]), quantize(b[None, :]))[0, 0]
    assert to_similarity(product) == pytest.approx(0.6, abs=1e-3)
    assert to_similarity(to_product(0.5)) >= 0.5
    assert SCALE <= 2048
