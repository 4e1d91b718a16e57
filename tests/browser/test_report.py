"""The report pages of real runs in a real browser.

usage: test_report.py PROGRAM [SCREENSHOT_FOLDER]
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

from chromium import Browser

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
HOSTILE = ["<script>document.title='broken'</script>", "</script><script>throw 1</script>",
           "\"><img src=x onerror=document.title='broken'>", "'); throw 1; ('", "&lt;b&gt;", "<!--",
           "\u202eabc\u202c", "\u05e9\u05dc\u05d5\u05dd", "\U0001f469\u200d\U0001f52c", "a&amp;b",
           "{{x}}", "${x}", "\\u003c", "</style>", "x" * 200]
PRIVATE = ["--epsilon", 2, "--delta", "1e-6"]

# For each canvas: how many of its pixels are painted, and in how many colours.
CANVASES = """Array.from(document.querySelectorAll('canvas')).map((canvas) => {
  const pixels = new Uint32Array(canvas.getContext('2d')
      .getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const painted = pixels.filter((p) => p !== 0);
  return {painted: painted.length, colours: new Set(painted).size};
})"""
# The data given to the charting library, and the colour of the first series.
CHARTS = """Array.from(document.querySelectorAll('canvas')).map((canvas) => {
  const chart = Chart.getChart(canvas);
  return {type: chart.config.type, colour: chart.data.datasets[0].backgroundColor,
          drawn: chart.getDatasetMeta(0).data.filter((e) => !e.skip).map((e) => [e.x, e.y]),
          series: chart.data.datasets.map((set) => set.data.map((p) => p?.y === undefined ? p : p.y))};
})"""
# For each table: whether it can be seen to its last column, by scrolling where it is wide.
TABLES = """(() => {
  document.querySelectorAll('details').forEach((part) => { part.open = true; });
  const screen = document.documentElement.clientWidth;
  return Array.from(document.querySelectorAll('table')).map((table) => {
    const frame = table.parentElement;
    frame.scrollLeft = frame.scrollWidth;
    const last = table.rows[0].lastElementChild.getBoundingClientRect();
    const scrolls = getComputedStyle(frame).overflowX === 'auto';
    return {caption: table.rows[0].textContent, wide: frame.scrollWidth > frame.clientWidth,
            whole: last.width > 0 && last.right <= screen + 1 &&
                   last.right <= frame.getBoundingClientRect().right + 1 &&
                   (scrolls || frame.scrollWidth <= frame.clientWidth)};
  });
})()"""
# Where the sentence of the certificate, its unit and the headings are, from top to bottom.
OUTLINE = """Array.from(document.querySelectorAll('.notice, h2, dt')).map((e) => e.textContent)"""
NUMBERS = "Array.from(document.querySelectorAll('data')).map((d) => d.value)"


def numbers_in(value):
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, dict):
        for child in value.values():
            yield from numbers_in(child)
    elif isinstance(value, list):
        for child in value:
            yield from numbers_in(child)


def longest_list(value):
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return max([len(value) if isinstance(value, list) else 0, *map(longest_list, children)])


class ReportPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls._folder.name)
        cls.make_runs()
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls._folder.cleanup()

    @classmethod
    def run_sotto(cls, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=cls.folder, capture_output=True,
                              text=True, timeout=600)
        if done.returncode != 0:
            raise AssertionError((arguments, done.stderr))

    @classmethod
    def make_runs(cls):
        run = cls.run_sotto
        run("generate", "corpus", "-n", 3000, "-V", 60, "-k", 3, "-l", 40, "--out", "corpus")
        vocabulary = HOSTILE + [f"word{n}" for n in range(60 - len(HOSTILE))]
        (cls.folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
        topics = ["topics", "corpus/docword.txt", "-k", 3, "--vocab", "vocab.txt", "--top", 60]
        run(*topics, "--heldout", "corpus/docword.txt", "--out", "topics")
        run(*topics, *PRIVATE, "--truth", "corpus/topics.npy", "--out", "private topics")
        run("generate", "tensor", "--dim", 20, "--components", 3, "--out", "tensor")
        run("decompose", "tensor/tensor.npy", "-k", 3, "--out", "decompose")
        run("generate", "points", "--dim", 10, "--components", 2, "--records", 50000, "--max-norm",
            1, "--out", "points")
        run("stream", "points/points.npy", "-k", 2, *PRIVATE, "--max-norm", 1, "--out", "stream")
        run("generate", "points", "--model", "mixture", "--dim", 6, "--components", 2, "--records",
            20000, "--out", "clouds")
        run("mixture", "clouds/points.npy", "-k", 2, "--truth", "clouds/means.npy", "--out",
            "mixture")
        run("generate", "ratings", "--users", 200, "--items", 100, "--ratings", 6000, "--out",
            "ratings")
        run("complete", "ratings/ratings.csv", "--rank", 2, "--test", "ratings/test.csv",
            "--validation", 0.1, "--method", "sgd", "--out", "complete")
        run("complete", "ratings/ratings.csv", "--rank", 2, *PRIVATE, "--range", "0:6", "--out",
            "private complete")
        (cls.folder / "items.txt").write_text("".join(f"{n}\n" for n in range(100)))
        run("complete", "ratings/ratings.csv", "--rank", 2, *PRIVATE, "--range", "0:6", "--unit",
            "user", "--user-column", "user", "--items", "items.txt", "--users", 200,
            "--accept-large-delta", "--out", "private users")
        run("generate", "visits", "--people", 2000, "--out", "visits")
        run("decompose", "visits/visits.tns", "--unit", "person", "-k", 2, *PRIVATE, "--out",
            "people")
        cls.write_labels()
        run("decompose", "tensor/tensor.npy", "-k", 3, "--method", "cp", "--labels",
            "days.txt,numbers.txt,words.txt", "--out", "labelled")
        run("apply", "private topics", "corpus/docword.txt", "--out", "applied private")
        run("apply", "topics", "corpus/docword.txt", "--out", "applied")
        cls.runs = sorted(path.parent for path in cls.folder.glob("*/result.json"))

    @classmethod
    def write_labels(cls):
        for name, label in (("days", "2024-05-{:02}"), ("numbers", "{}5.5"), ("words", "<b>row {}")):
            lines = [label.format(n + 1) for n in range(20)]
            (cls.folder / f"{name}.txt").write_text("\n".join(lines) + "\n")

    def open(self, run, **options):
        self.browser.open(run / "report.html", **options)
        self.assertEqual(self.browser.complaints(), [], run.name)

    def shoot(self, run, kind):
        if SHOTS:
            SHOTS.mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(SHOTS / f"{run.name} {kind}.png")

    def test_every_run_has_a_page_that_opens_without_a_complaint_or_a_request(self):
        self.assertEqual(len(self.runs), 18)
        for run in self.runs:
            self.open(run)
            self.assertEqual(self.browser.requests(), [(run / "report.html").resolve().as_uri()])
            self.assertLess((run / "report.html").stat().st_size, 2_000_000)
            self.shoot(run, "light")

    def test_charts_are_drawn_in_light_and_dark(self):
        for run in self.runs:
            colours = []
            for scheme in "light", "dark":
                self.open(run, scheme=scheme)
                canvases = self.browser.evaluate(CANVASES)
                charts = self.browser.evaluate(CHARTS)
                result = json.loads((run / "result.json").read_text())
                found = {**result, **result.get("diagnostics", {})}
                has_charts = any(key in found for key in (
                    "weights", "history", "lines", "mean_proportions"))
                self.assertEqual(len(canvases) > 0, has_charts, run.name)
                for canvas, chart in zip(canvases, charts):
                    self.assertGreater(canvas["painted"], 1000, run.name)
                    self.assertGreater(canvas["colours"], 10, run.name)  # text has smooth edges
                    self.assertEqual(len(chart["drawn"]), len(chart["series"][0]))
                    self.assertTrue(all(math.isfinite(c) for point in chart["drawn"] for c in point))
                colours.append([chart["colour"] for chart in charts])
                self.shoot(run, scheme)
            if colours[0]:
                self.assertNotEqual(colours[0], colours[1], run.name)

    def test_colours_follow_when_the_scheme_changes(self):
        self.open(self.folder / "decompose")
        before = self.browser.evaluate(CHARTS)[0]["colour"]
        self.browser.ask("Emulation.setEmulatedMedia",
                         features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.browser.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
        self.assertNotEqual(self.browser.evaluate(CHARTS)[0]["colour"], before)
        self.assertEqual(self.browser.complaints(), [])

    def test_a_bar_shows_its_value_when_pointed_at(self):
        run = self.folder / "stream"
        self.open(run)
        weights = json.loads((run / "result.json").read_text())["weights"]
        x, y = self.browser.evaluate(
            "(() => { const canvas = document.querySelector('canvas');"
            "canvas.scrollIntoView(); const box = canvas.getBoundingClientRect();"
            "const bar = Chart.getChart(canvas).getDatasetMeta(0).data[1];"
            "return [box.left + bar.x - 5, box.top + bar.y]; })()")
        self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        shown = self.browser.evaluate(
            "new Promise((done) => setTimeout(() => { const tip = Chart.getChart("
            "document.querySelector('canvas')).tooltip; done([tip.opacity, tip.title[0], "
            "tip.body[0].lines[0]]); }, 100))")
        self.assertEqual(shown, [1, "2", f"weight: {weights[1]!r}"])

    def test_numbers_are_those_of_the_result(self):
        for run in self.runs:
            result = json.loads((run / "result.json").read_text())
            known = set(numbers_in(result))
            # Bars and points of curves are numbered from 1.
            counted = set(map(float, range(longest_list(result) + 1)))
            self.open(run)
            shown = [float(text) for text in self.browser.evaluate(NUMBERS)]
            for number in shown:
                self.assertIn(number, known | counted, run.name)
            for chart in self.browser.evaluate(CHARTS):
                for series in chart["series"]:
                    for number in series:
                        self.assertTrue(number is None or number in known, (run.name, number))
            for key in "weights", "rmse", "mae", "variance", "seconds", "privacy", "evaluation":
                part = result.get(key)
                if key == "privacy" and part:
                    for release in part["releases"]:
                        release.pop("precision", None)
                    # These two are the same on every page, and stand in its sentences as words.
                    words = self.browser.evaluate("document.body.textContent")
                    alarms, group = (part["meaning"].pop(n) for n in ("false_alarms", "group"))
                    self.assertIn(f"{100 * alarms:.0f} false alarms in 100", words)
                    self.assertEqual(group, 5)
                    self.assertIn("Five together", words)
                for number in numbers_in(part):
                    self.assertIn(number, shown, (run.name, key))

    def test_hostile_words_are_shown_as_text(self):
        for name in "topics", "private topics":
            self.open(self.folder / name)
            self.assertEqual(self.browser.evaluate("document.title"), "Topics of a corpus")
            words = self.browser.evaluate(
                "Array.from(document.querySelectorAll('.card li')).map((e) => e.firstChild.textContent.trim())")
            for word in HOSTILE:
                self.assertIn(word, words)
            self.assertEqual(self.browser.evaluate("document.querySelectorAll('img').length"), 0)

    def test_fits_a_phone(self):
        for run in self.runs:
            self.open(run, width=390, height=844, phone=True)
            width = self.browser.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(width, 390, run.name)
            self.shoot(run, "phone")

    def test_no_table_is_cut_off_on_a_phone(self):
        wide = 0
        for run in self.runs:
            self.open(run, width=390, height=844, phone=True)
            for table in self.browser.evaluate(TABLES):
                self.assertTrue(table["whole"], (run.name, table["caption"]))
                wide += table["wide"]
        self.assertGreater(wide, 0)  # or the test would say nothing

    def test_no_table_is_cut_off_on_paper(self):
        for run in self.runs:
            self.open(run, width=673, height=900)  # a sheet of A4 without its margins
            self.browser.ask("Emulation.setEmulatedMedia", media="print")
            width = self.browser.evaluate("dispatchEvent(new Event('beforeprint')), "
                                          "document.documentElement.scrollWidth")
            self.shoot(run, "print")
            self.browser.ask("Emulation.setEmulatedMedia", media="")
            self.assertLessEqual(width, 673, run.name)

    def test_the_sentence_of_the_certificate_and_its_unit_come_before_the_result(self):
        private = 0
        for run in self.runs:
            certificate = json.loads((run / "result.json").read_text())["privacy"]
            self.open(run)
            outline = self.browser.evaluate(OUTLINE)
            if certificate is None:
                continue
            private += 1
            self.assertTrue(outline[0].startswith("Differentially private with epsilon"), run.name)
            self.assertIn(certificate["unit"], outline[0])
            self.assertLess(outline.index("Protected unit"), outline.index("What was computed"))
            if "Result" in outline:
                self.assertLess(outline.index("Protected unit"), outline.index("Result"))
        self.assertEqual(private, 5)

    def test_the_fit_comes_first_where_nothing_is_private(self):
        for name in "decompose", "complete", "mixture", "topics":
            self.open(self.folder / name)
            outline = self.browser.evaluate(OUTLINE)
            self.assertTrue(outline[0].startswith("Not private"), name)
            self.assertEqual(outline[1], "How well it fits", name)

    def test_an_applied_model_leads_with_its_certificate_and_says_what_it_shows(self):
        for name, start in (("applied private", "Nothing is spent: made from a model with epsilon 2"),
                            ("applied", "No privacy guarantee: made from a model that is not")):
            self.open(self.folder / name)
            notice = self.browser.evaluate(OUTLINE)[0]
            self.assertTrue(notice.startswith(start), notice)
            self.assertIn("This page shows the data that it was given.", notice)

    def test_rows_in_an_order_are_drawn_as_lines_by_their_labels(self):
        self.open(self.folder / "labelled")
        charts = self.browser.evaluate(
            "Array.from(document.querySelectorAll('canvas')).map((canvas) => {"
            "const chart = Chart.getChart(canvas);"
            "return [chart.config.type, chart.data.datasets[0].data.at(-1).x, "
            "chart.scales.x.ticks.map((t) => t.label)]; })")
        lines = [chart for chart in charts if chart[0] == "line"]
        self.assertEqual([x for _, x, _ in lines[:2]], [19, 205.5])
        self.assertIn("2024-05-01", lines[0][2])
        cards = self.browser.evaluate(
            "Array.from(document.querySelectorAll('.card li')).map((e) => e.firstChild.textContent)")
        self.assertTrue(cards and all(name.startswith("<b>row ") for name in cards), cards)

    def test_items_of_a_model_of_users_are_shown_with_their_sign(self):
        self.open(self.folder / "private users")
        cards = self.browser.evaluate(
            "Array.from(document.querySelectorAll('.card')).map((card) => "
            "[card.querySelector('h3').textContent, card.querySelectorAll('li').length, "
            "Array.from(card.querySelectorAll('li')).every((e) => e.classList.contains('minus') === "
            "(Number(e.querySelector('data').value) < 0))])")
        self.assertTrue(any(title == "Effect of an item" for title, _, _ in cards), cards)
        self.assertTrue(all(count == 8 and signs for _, count, signs in cards), cards)

    def test_prints_light_and_whole(self):
        self.open(self.folder / "decompose", scheme="dark")
        path = (SHOTS or self.folder) / "decompose.pdf"
        self.browser.pdf(path)
        self.assertTrue(path.read_bytes().startswith(b"%PDF"))
        self.assertEqual(self.browser.complaints(), [])

    def test_certificate_says_what_was_asked_for(self):
        self.open(self.folder / "stream")
        self.assertIn("Differentially private with epsilon 2 and delta 1e-06 for one record",
                      self.browser.evaluate("document.querySelector('.notice.good').textContent"))
        self.open(self.folder / "decompose")
        self.assertIn("Not private", self.browser.evaluate("document.querySelector('.notice.bad').textContent"))
        self.assertEqual(self.browser.evaluate("document.querySelector('pre').textContent"),
                         "sotto decompose tensor/tensor.npy -k 3 --out decompose")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
