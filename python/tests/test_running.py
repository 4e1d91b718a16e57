"""Progress, Ctrl-C, threads, and tensors that answer questions."""
import os
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sotto
from data import points


def test_progress_is_reported_and_can_stop():
    X, _ = points(200000)
    seen = []
    sotto.GaussianMixture(3, random_state=0,
                          progress=lambda *report: seen.append(report)).fit(np.vstack([X] * 3))
    assert seen and all(isinstance(stage, str) for stage, _, _ in seen)
    with pytest.raises(sotto.Stopped):
        sotto.GaussianMixture(3, progress=lambda *report: False).fit(np.vstack([X] * 3))

    def broken(stage, done, total):
        raise LookupError("no bar")

    with pytest.raises(LookupError, match="no bar"):
        sotto.GaussianMixture(3, progress=broken).fit(np.vstack([X] * 3))


class FakeBar:
    """What is used of tqdm."""

    made = []

    def __init__(self, desc, leave):
        self.desc, self.seen, self.n, self.total, self.closed = desc, [], 0, None, False
        self.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.closed = True

    def set_postfix_str(self, text):
        self.seen.append((text, self.n, self.total))


def test_progress_is_a_bar(monkeypatch):
    X, _ = points(600000)
    module = types.ModuleType("tqdm.auto")
    module.tqdm = FakeBar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    sotto.GaussianMixture(3, random_state=0, progress=True).fit(X)
    (bar,) = FakeBar.made
    assert bar.desc == "GaussianMixture" and bar.closed
    assert bar.seen and all(total is None or done <= total for _, done, total in bar.seen)


def test_progress_is_a_line_where_there_is_no_tqdm(monkeypatch, capsys):
    X, _ = points(600000)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    sotto.GaussianMixture(3, random_state=0, progress=True).fit(X)
    assert capsys.readouterr().err == ""  # not on a terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    sotto.GaussianMixture(3, random_state=0, progress=True).fit(X)
    assert capsys.readouterr().err.endswith("\r\033[K")


def test_ctrl_c_stops_a_fit():
    # A test that runs in the background begins with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    T = rng.normal(size=(120, 120, 120))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sotto.CPDecomposition(30, n_starts=200, tol=0, max_iter=100000).fit(T)
    timer.join()
    signal.signal(signal.SIGINT, before)


def test_a_fit_leaves_the_interpreter_to_others():
    T = np.random.default_rng(0).normal(size=(60, 60, 60))
    ticks = 0
    done = threading.Event()

    def work():
        sotto.CPDecomposition(8, n_starts=8, random_state=0).fit(T)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 3


def test_a_hundred_threads_give_the_bits_of_one():
    X, _ = points(500)
    alone = sotto.GaussianMixture(3, random_state=0).fit(X).means_
    with ThreadPoolExecutor(100) as pool:
        found = list(pool.map(
            lambda _: sotto.GaussianMixture(3, random_state=0).fit(X).means_, range(100)))
    assert all(np.array_equal(alone, other) for other in found)


class Moment:
    """1/n sum x (x) x (x) x, never formed."""

    def __init__(self, rows):
        self.rows = rows
        self.shape = (rows.shape[1],) * 3

    def contract(self, block):
        return self.rows.T @ (self.rows @ block) ** 2 / len(self.rows)


def test_anything_that_answers_can_be_decomposed():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(6, 6)))[0][:3]
    weights = np.array([3.0, 2.0, 1.0])
    rows = basis * weights[:, None] ** (1 / 3)
    found = sotto.symmetric_power(Moment(rows * 3 ** (1 / 3)), 3)
    assert np.allclose(found.weights, weights)
    assert np.allclose(np.abs(found.factors[0].T @ basis.T), np.eye(3), atol=1e-8)
    dense = np.einsum("r,ri,rj,rk->ijk", weights, basis, basis, basis)
    assert np.allclose(sotto.symmetric_power(dense, 3).weights, weights)
    assert np.allclose(sotto.symmetric_power(dense, 3, simultaneous=True).weights, weights)


@pytest.mark.parametrize("answer, message", [
    (lambda block: block[:-1], "must return"), (lambda block: block * np.nan, "NaN"),
    (lambda block: block.astype(np.float32), "float64"), (lambda block: 1 / 0, "division")])
def test_bad_answers_are_refused(answer, message):
    class Bad:
        shape = (4, 4, 4)
        contract = staticmethod(answer)

    with pytest.raises((sotto.Refused, ZeroDivisionError), match=message):
        sotto.symmetric_power(Bad(), 2)


def test_whitening():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(6, 3))
    W, back = sotto.whiten(a @ a.T, 3)
    assert np.allclose(W.T @ a @ a.T @ W, np.eye(3))
    assert np.allclose(back @ (W.T @ a), a)
    with pytest.raises(sotto.Refused, match="rank"):
        sotto.whiten(a @ a.T, 4)


def test_levels_of_processors():
    from sotto._load import processor_level
    v3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
    assert processor_level(set()) == 2
    assert processor_level(v3 - {"movbe"}) == 2
    assert processor_level(v3) == 3
    assert processor_level(v3 | {"avx512f"}) == 3
    assert processor_level(v3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) == 4


def test_command_line_starts_without_scikit_learn():
    script = "import sys, sotto._cli; print('sklearn' in sys.modules, 'TopicModel' in dir(sotto))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"


def test_every_public_name_is_there():
    assert all(getattr(sotto, name) is not None for name in sotto.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Topics'"):
        sotto.Topics
