"""sotto generate corpus, as a user sees it."""
import gzip
import json

from sotto_cli import ProgramTest, main, npy_bytes, read_npy


def read_docword(data):
    """(documents, words, [(document, word, count)]), with the numbers of the file."""
    lines = data.decode().splitlines()
    documents, words, entries = (int(line) for line in lines[:3])
    rows = [tuple(map(int, line.split())) for line in lines[3:]]
    assert len(rows) == entries
    return documents, words, rows


class GenerateCorpus(ProgramTest):
    def generate(self, *arguments, out="made"):
        self.succeed("generate", "corpus", *arguments, "--out", out)
        return self.folder / out

    def test_writes_documents_words_and_truth(self):
        folder = self.generate("--documents", 200, "--vocabulary", 50, "--topics", 4, "--alpha0", 0.8,
                               "--length", 30)
        documents, words, rows = read_docword((folder / "docword.txt").read_bytes())
        self.assertEqual((documents, words), (200, 50))
        self.assertEqual(sum(count for _, _, count in rows), 200 * 30)
        self.assertEqual(rows, sorted(rows))
        self.assertEqual(len({row[:2] for row in rows}), len(rows))
        self.assertEqual({document for document, _, _ in rows}, set(range(1, 201)))
        self.assertTrue(all(1 <= word <= 50 and count >= 1 for _, word, count in rows))
        self.assertEqual((folder / "vocab.txt").read_text().split(),
                         [f"w{i}" for i in range(1, 51)])
        shape, topics = read_npy(folder / "topics.npy")
        self.assertEqual(shape, (50, 4))
        for j in range(4):
            self.assertAlmostEqual(sum(topics[j::4]), 1, places=12)
        for value in read_npy(folder / "alpha.npy")[1]:
            self.assertAlmostEqual(value, 0.2, places=15)
        result = json.loads((folder / "result.json").read_text())
        self.assertEqual(result["entries"], len(rows))
        self.assertEqual(result["tokens"], 6000)
        self.assertEqual(result["weights"], [0.25] * 4)
        self.assertIsNone(result["privacy"])
        self.assertEqual(sorted(result["files"] + ["report.html", "result.json"]),
                         sorted(path.name for path in folder.iterdir()))

    def test_gzip_threads_and_seed(self):
        arguments = ["--documents", 3000, "--length-law", "poisson"]
        plain = self.generate(*arguments, "--threads", 1, out="plain") / "docword.txt"
        packed = self.generate(*arguments, "--threads", 3, "--gzip", out="packed") / "docword.txt.gz"
        self.assertEqual(gzip.decompress(packed.read_bytes()), plain.read_bytes())
        other = self.generate(*arguments, "--seed", 1, out="other") / "docword.txt"
        self.assertNotEqual(other.read_bytes(), plain.read_bytes())

    def test_single_topics_from_a_file(self):
        self.write("topics.npy", npy_bytes([1, 0, 1, 0, 0, 3], (3, 2)))
        self.write("names", "red\ngreen\nblue\n")
        folder = self.generate("--topics-file", "topics.npy", "--vocab", "names", "--model", "single",
                               "--documents", 500, "--weights", "3,1")
        documents, words, rows = read_docword((folder / "docword.txt").read_bytes())
        self.assertEqual((documents, words), (500, 3))
        self.assertEqual((folder / "vocab.txt").read_text(), "red\ngreen\nblue\n")
        second = [document for document, word, count in rows if word == 3]
        self.assertEqual({count for _, word, count in rows if word == 3}, {80})
        self.assertTrue(80 < len(second) < 170)  # 125 expected, standard deviation 10
        self.assertFalse((folder / "alpha.npy").exists())
        self.assertEqual(list(read_npy(folder / "weights.npy")[1]), [0.75, 0.25])
        self.assertEqual(list(read_npy(folder / "topics.npy")[1]), [0.5, 0, 0.5, 0, 0, 1])

    def test_refusals(self):
        self.write("topics.npy", npy_bytes([1, 0, 1, 0, 0, 3], (3, 2)))
        self.write("bad.npy", npy_bytes([1, 0, -1, 0, 0, 3], (3, 2)))
        self.write("flat.npy", npy_bytes([1, 0], (2,)))
        self.write("names", "red\ngreen\n")
        refuse = lambda *arguments, says: self.refuse("generate", "corpus", *arguments, says=says)
        out = ["--out", "made"]
        refuse(says="--out")
        refuse("--topics-file", "topics.npy", "--topics", 3, *out, says=["--topics", "has 2, not 3"])
        refuse("--topics-file", "topics.npy", "-V", 4, *out, says=["--vocabulary", "has 3, not 4"])
        refuse("--topics-file", "bad.npy", *out, says=["bad.npy", "topic 1 is not a distribution"])
        refuse("--topics-file", "flat.npy", *out, says=["flat.npy", "two dimensions"])
        refuse("--vocab", "names", *out, says=["--vocab", "has 2 words, not 1000"])
        refuse("--weights", "1,2", *out, says="--weights")
        refuse("--alpha0", 0, *out, says="--alpha0")
        refuse("--model", "hdp", *out, says="--model")


if __name__ == "__main__":
    main()
