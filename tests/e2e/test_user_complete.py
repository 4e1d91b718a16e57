"""sotto complete --unit user, and recommendations from its folder, as a user sees them."""
from sotto_cli import ProgramTest, main, read_npy

RANGE = ["--range", "-5:12"]


class UserComplete(ProgramTest):
    def setUp(self):
        super().setUp()
        made = self.generate("ratings", "--users", 3000, "--items", 100, "--months", 6, "--rank", 2,
                             "-n", 100000, "--test-share", 0.1, out="made")
        head, *lines = (made / "ratings.csv").read_text().splitlines()
        head = "user,item,rating"
        lines = [",".join(line.split(",")[n] for n in (0, 1, 3)) for line in lines]
        learnt, others = [], []
        for line in lines:
            (others if int(line.split(",")[0]) % 5 == 0 else learnt).append(line)
        given = [line for n, line in enumerate(others) if n % 5 != 0]
        test = [line for n, line in enumerate(others) if n % 5 == 0]
        self.ratings = self.csv("learnt.csv", head, learnt)
        self.given = self.csv("given.csv", head, given)
        self.test = self.csv("test.csv", head, test)
        self.items = self.write("items.txt", "".join(f"{i}\n" for i in range(1, 101)))
        self.private = ["complete", self.ratings, "-r", 2, "--unit", "user", "--epsilon", 3,
                        "--delta", "1e-6", "--items", self.items, *RANGE]

    def csv(self, name, head, lines):
        return self.write(name, "\n".join([head, *lines]) + "\n")

    def test_learns_items_and_says_nothing_of_users(self):
        out = self.folder / "out"
        found = self.result(*self.private, "--given", self.given, "--test", self.test, "--out", out)
        privacy = found["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertLessEqual(privacy["epsilon"], 3)
        self.assertIn("all ratings of one user", privacy["unit"])
        self.assertLess(found["rmse"], 0.92)  # the mean alone: 1.05
        self.assertEqual(sorted(path.name for path in out.iterdir()),
                         ["biases_1.npy", "certificate.md", "factors_1.npy", "labels_1.txt",
                          "report.html", "result.json"])
        self.assertEqual(read_npy(out / "factors_1.npy")[0], (100, 2))
        # Neither the number of users or ratings, nor anything that was not released.
        self.assertEqual(found["input"], {"items": 100})
        self.assertEqual(set(found["diagnostics"]), {"method"})

    def test_recommends_to_one_user_from_the_released_folder(self):
        out = self.folder / "out"
        self.result(*self.private, "--out", out)
        own = self.csv("own.csv", "user,item,rating", [f"me,{i},{5 if i < 10 else 2}" for i in
                                                       range(1, 20)])
        found = self.result("apply", out, own, "--recommend", "--top", 7)
        best = found["recommendations"]
        self.assertEqual(len(best), 7)
        values = [row["prediction"] for row in best]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertFalse({row["item"] for row in best} & {str(i) for i in range(1, 20)})
        # One line per item, for pipes.
        self.assertIsNone(found["privacy"])
        self.assertEqual(found["source"]["privacy"]["guarantee"], "proved")
        self.assertIn("the certificate of", found["exposes"])
        self.assertIn("own.csv", found["exposes"])
        lines = self.succeed("apply", out, own, "--recommend", "--top", 3).splitlines()
        self.assertEqual(lines.pop(), found["exposes"])
        self.assertEqual([line.split("\t")[0] for line in lines], [r["item"] for r in best[:3]])
        # A user who rates everything higher gets higher predictions.
        higher = self.csv("high.csv", "user,item,rating", [f"me,{i},{8 if i < 10 else 5}" for i in
                                                           range(1, 20)])
        raised = self.result("apply", out, higher, "--recommend", "--top", 7)
        self.assertGreater(raised["recommendations"][0]["prediction"], values[0])

        unknown = self.csv("unknown.csv", "user,item,rating", ["me,1,3", "me,no such item,4"])
        self.refuse("apply", out, unknown, "--recommend", says=["no such item", "unknown.csv:3"])
        two = self.csv("two.csv", "user,item,rating", ["me,1,3", "you,2,4"])
        self.refuse("apply", out, two, "--recommend", says="2 users")
        self.refuse("apply", self.folder, own, "--recommend", says="has no result.json")
        self.refuse("apply", self.ratings, own, "--recommend", says="is not a folder")

    def test_refuses_what_is_not_public(self):
        no_items = [a for a in self.private if a not in ("--items", self.items)]
        self.refuse(*no_items, says="--items")
        no_delta = [a for a in self.private if a not in ("--delta", "1e-6")]
        self.refuse(*no_delta, says="--delta")
        self.refuse(*self.private, "--test", self.test, says="--given")
        self.refuse(*self.private, "--test", self.given, "--given", self.given, says="other")
        self.refuse(*self.private, "--mechanism", "als", says="--mechanism")
        self.refuse(*self.private, "--check", says="--check")
        self.refuse(*self.private, "--validation", 0.1, says="--validation")
        rating = ["complete", self.ratings, "-r", 2, "--epsilon", 1, *RANGE]
        self.refuse(*rating, "--items", self.items, says="--items")
        self.refuse(*rating, "--given", self.given, says="--given")
        twice = self.write("twice.txt", "1\n2\n1\n")
        self.refuse(*no_items, "--items", twice, says="twice.txt:3")

    def test_a_user_with_a_large_number_changes_nothing_about_success(self):
        lines = [f"{u} {1 + (u + n) % 20} 1 {1 + (u * n) % 5}" for u in range(1, 400)
                 for n in range(1 + u % 9)]
        items = self.write("twenty.txt", "".join(f"{i}\n" for i in range(1, 21)))
        for more in [], ["5000000 3 1 4"]:
            ratings = self.write("users.tns", "\n".join(lines + more) + "\n")
            self.succeed("complete", ratings, "--unit", "user", "--items", items, "--range", "1:5",
                         "--epsilon", 1, "--delta", "1e-6", "--columns", "user,item,-,value")

    def test_the_plan_reads_no_rating(self):
        plan = self.result("complete", "there is no such file.csv", *self.private[2:], "--users",
                           2400, "--plan")
        made = [r["what"] for r in self.result(*self.private, "--users", 2400)["privacy"]
                ["releases"]]
        self.assertEqual([r["what"] for r in plan["releases"]], made)
        self.assertGreater(plan["forecasts"]["core_items"], 30)
        few = self.succeed(*self.private, "--users", 20, "--plan")
        self.assertIn("with 20 users there is no pair moment", few)
        self.assertIn("no record was read and nothing was released", few)

    def test_times_are_declared_and_learnt(self):
        made = self.folder / "made" / "ratings.csv"
        times = self.write("times.txt", "".join(f"{t}\n" for t in range(1, 7)))
        private = ["complete", made, *self.private[2:]]
        out = self.folder / "out"
        found = self.result(*private, "--times", times, "--out", out)
        self.assertIn("the list of times, 6 of them", found["privacy"]["public"])
        self.assertEqual(found["privacy"]["guarantee"], "proved")
        self.assertEqual(read_npy(out / "biases_2.npy")[0], (6,))
        own = self.csv("own.csv", "user,item,month,rating", ["me,1,2,4", "me,5,3,2"])
        best = self.result("apply", out, own, "--recommend", "--top", 3)["recommendations"]
        self.assertEqual(len(best), 3)
        stamped = self.csv("stamped.csv", "user,item,rating,time",
                           ["1,1,3,2000-01-05", "2,2,4,2001-01-05"])
        self.refuse("complete", stamped, *self.private[2:], "--time-mode", "month", says="--times")

    def test_broken_ratings_are_not_shown(self):
        wild = self.write("wild.csv", self.ratings.read_text() + "9,1,secret\n")
        private = ["complete", wild, *self.private[2:]]
        self.refuse(*private, says="not shown")
        self.assertNotIn("secret", self.sotto(*private).stderr)


if __name__ == "__main__":
    main()
