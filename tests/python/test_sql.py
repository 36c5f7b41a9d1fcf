"""The questions of db/README.md, asked of what an H200 measured, and its ways to CSV, pandas and Parquet, where these are
installed. usage: test_sql.py AUTOTUNE DUMP"""
import importlib.util
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from contextlib import closing

AUTOTUNE, DUMP = map(os.path.abspath, sys.argv[1:3])
PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "db", "README.md")


class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([AUTOTUNE, "merge", "autotune.db", DUMP, "--quiet"], cwd=cls.folder.name, check=True)
        with open(PAGE, encoding="utf-8") as file:
            cls.text = file.read()

    def line(self, begin):
        return next(line.strip() for line in self.text.splitlines() if line.startswith("    " + begin))

    def test_each_question_has_an_answer(self):
        asked = re.findall(r"```sql\n(.*?)```", self.text, re.DOTALL)
        self.assertGreater(len(asked), 4)
        with closing(sqlite3.connect(f"file:{self.folder.name}/autotune.db?mode=ro", uri=True)) as store:
            for question in asked:
                answer = store.execute(question).fetchall()
                if "<> 'timed'" not in question:  # no failures were recorded
                    self.assertTrue(answer, question)

    def test_a_type_of_users_finds_what_its_size_has(self):
        with closing(sqlite3.connect(f"{self.folder.name}/autotune.db")) as store:
            by_type = "SELECT shape FROM best JOIN types USING (type_key) WHERE type = 'f32' ORDER BY shape"
            by_key = "SELECT shape FROM best WHERE type_key = 'b4' ORDER BY shape"
            self.assertEqual(store.execute(by_type).fetchall(), store.execute(by_key).fetchall())

    @unittest.skipUnless(shutil.which("sqlite3"), "there is no sqlite3 here")
    def test_csv_and_parquet(self):
        subprocess.run(self.line("sqlite3 -readonly -csv"), shell=True, cwd=self.folder.name, check=True)
        with open(f"{self.folder.name}/trials.csv", encoding="utf-8") as file:
            self.assertTrue(file.readline().startswith("op,shape,type_key,device,"))
        if not importlib.util.find_spec("duckdb"):
            self.skipTest("no duckdb")
        import duckdb
        os.chdir(self.folder.name)
        duckdb.sql(re.search('"(.*)"', self.line("duckdb -c"))[1])
        self.assertEqual(duckdb.sql("SELECT count(*) FROM 'trials.parquet'").fetchall()[0][0], 13734)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_pandas(self):
        import pandas
        os.chdir(self.folder.name)
        table = eval(self.line("pandas.read_sql"), {"pandas": pandas, "sqlite3": sqlite3})
        self.assertEqual((len(table), str(table.median_s.dtype)), (13734, "float64"))


unittest.main(argv=sys.argv[:1])
