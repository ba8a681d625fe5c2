"""Public data sets: what a server sends is checked and written, and without one the refusal says so."""

import hashlib
import http.server
import json
import threading

import numpy as np
import pytest
from evidence import module

VALUES = [[1.5, 2.0], [0.0, -1.0], [3.0, 4.0], [1.0, 1.0], [2.0, 2.5]]
LABELS = ["b", "a", "b", "a", "a"]
ARFF = "".join([
    "@relation r\n@attribute id numeric\n@attribute f numeric\n@attribute g numeric\n@attribute class {a,b}\n@data\n",
    *(f"{place},{row[0]},{row[1]},{LABELS[place]}\n" for place, row in enumerate(VALUES))])


@pytest.fixture
def public(monkeypatch, tmp_path):
    (tmp_path / "paper").mkdir()
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path / "paper"))
    monkeypatch.setenv("MOELIGA_DATA_CACHE", str(tmp_path / "cache"))
    found = module("public")
    monkeypatch.setattr(found, "PUBLIC", {"mine": found.Public(7, 5, 2, 2)})
    return found


@pytest.fixture
def server():
    """A server on this machine with OpenML's two addresses; `said` is its description, `asked` what it was asked."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            texts = {"/api/v1/json/data/7": json.dumps({"data_set_description": self.server.said}),
                     "/file.arff": self.server.arff}
            self.send_response(200 if self.path in texts else 412)
            self.end_headers()
            self.wfile.write(texts.get(self.path, "").encode())

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.address = f"http://127.0.0.1:{running.server_port}"
        running.arff, running.asked = ARFF, []
        running.said = {"url": f"{running.address}/file.arff", "default_target_attribute": "class",
                        "row_id_attribute": "id", "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest()}
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_what_comes_is_written_as_the_studies_read_it(public, server, capsys):
    """All rows, no test part, the column of row numbers left out; the file is downloaded once."""
    datasets, sources = module("datasets"), module("sources")
    assert public.main(["mine", "other=7"], server.address) == 0
    assert server.asked == ["/api/v1/json/data/7", "/file.arff", "/api/v1/json/data/7"]
    out = capsys.readouterr().out
    assert f"mine: 5 x 2, 2 classes, SHA-256 {sources.digest(np.array(VALUES), LABELS)}\n" in out
    assert datasets.extra() == ["mine", "other"]
    data = datasets.whole("mine")
    np.testing.assert_array_equal(data.X, VALUES)
    assert data.y.tolist() == [1, 0, 1, 0, 0] and data.in_test is None
    assert [split.name for split in module("protocol").outer_splits(data, 2)] == ["0", "1"]
    assert public.main([]) == 0 and capsys.readouterr().out == "mine: 5 x 2, 2 classes, at hand\n"


def test_what_is_other_than_expected_is_refused(public, server, monkeypatch, capsys):
    """Another file than described, another shape, another digest than before, a feature of words, no such number."""
    def refused(*names):
        assert public.main(list(names), server.address) == 1
        return capsys.readouterr().err

    server.said["md5_checksum"] = "0" * 32
    assert "mine: cannot be had: the file of mine must have the MD5 000" in refused("mine")
    server.said.pop("md5_checksum")
    monkeypatch.setattr(public, "PUBLIC", {"mine": public.Public(7, 6, 2, 2)})
    assert "must have (6, 2, 2) samples, features and classes, got (5, 2, 2)" in refused("mine")
    assert public.main(["first=7"], server.address) == 0
    file = module("sources").cache() / "openml-7.arff"
    file.write_text(ARFF.replace("1.5", "1.25"))
    assert "the data of first must have the digest" in refused("first=7")
    file.write_text(ARFF.replace("f numeric", "f {1.5,0.0,3.0,1.0,2.0,x}").replace("1.5,", "x,"))
    assert "second: cannot be had" in refused("second=7")
    assert "nothing came from" in (said := refused("third=8")) and "needs a network" in said
    assert module("datasets").extra() == ["first"]


def test_without_a_network_nothing_is_written(public, capsys):
    """Nobody listens at this port."""
    assert public.main(["mine"], "http://127.0.0.1:9") == 1
    said = capsys.readouterr()
    assert said.err.startswith("mine: cannot be had: nothing came from http://127.0.0.1:9/api/v1/json/data/7 (")
    assert said.err.endswith("): this needs a network\n") and not said.out
    assert module("datasets").extra() == []


@pytest.mark.parametrize("name", ["unknown", "mine=x"])
def test_unknown_names_are_refused(public, capsys, name):
    with pytest.raises(SystemExit):
        public.main([name])
    assert f"or NAME=NUMBER, got '{name}'" in capsys.readouterr().err
