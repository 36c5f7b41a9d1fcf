"""What tests of tools/python/autotune share: its folder in sys.path, and tests/unit/support/fake_driver.c, whose path is the
last word of the command line, in the place of libcuda.so.1."""
import ctypes
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))
FAKE = ctypes.CDLL(sys.argv.pop(), mode=ctypes.RTLD_GLOBAL)

import autotune  # noqa: E402

IN, OUT, INDEX = 0x7000_0000, 0x7100_0000, 0x7200_0000
PRIMARY = 0xC0DE


class Record(ctypes.Structure):
    """fake_record of fake_driver.h."""
    _fields_ = [("loads", ctypes.c_int), ("unloads", ctypes.c_int), ("launches", ctypes.c_int),
                ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared_bytes", ctypes.c_uint),
                ("params", ctypes.c_int64 * 5), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.c_void_p), ("attribute_count", ctypes.c_uint),
                ("attribute_ids", ctypes.c_int * 4), ("attribute_values", ctypes.c_uint * 3 * 4), ("waited", ctypes.c_void_p),
                ("current", ctypes.c_void_p), ("later", ctypes.c_int64 * 59)]


class Copied(ctypes.Structure):
    """fake_copy of fake_driver.h."""
    _fields_ = [("to", ctypes.c_uint64), ("at", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("stream", ctypes.c_void_p), ("launches", ctypes.c_int)]


FAKE.fake_read.restype = Record
FAKE.fake_copied.restype = Copied
FAKE.fake_record_bytes.restype = ctypes.c_size_t
assert FAKE.fake_record_bytes() == ctypes.sizeof(Record), "Record is not fake_record of fake_driver.h"


class OnTheFakeDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tuner = autotune.Tuner(cache="")
        cls.addClassCleanup(cls.tuner.close)

    def setUp(self):
        FAKE.fake_use_context(7)
        self.before = FAKE.fake_read().launches

    def launched(self):
        """What the one launch of this test was."""
        seen = FAKE.fake_read()
        self.assertEqual(seen.launches, self.before + 1)
        return seen

    def refused(self, words, call, *arguments, **named):
        self.refused_as(ValueError, words, call, *arguments, **named)

    def refused_as(self, kind, words, call, *arguments, **named):
        with self.assertRaisesRegex(kind, words):
            call(*arguments, **named)
        self.assertEqual(FAKE.fake_read().launches, self.before)
