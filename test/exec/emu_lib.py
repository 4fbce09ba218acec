"""libmirdc-emu for tests, through its C interface."""
import ctypes as C, os

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(SRC, "build"))
OK, FINDINGS, STOPPED, REFUSED = range(4)
ALL = 15


class Options(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("opt", C.c_uint32), ("checks", C.c_uint32), ("max_findings", C.c_uint32),
                ("stack_bytes", C.c_uint64), ("source_root", C.c_char_p)]


class Launch(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("grid", C.c_uint32 * 3), ("block", C.c_uint32 * 3),
                ("dynamic_shared", C.c_uint64), ("params", C.c_char_p), ("param_bytes", C.c_uint64),
                ("time_limit_ms", C.c_uint64)]


class Static(C.Structure):
    _fields_ = [("name", C.c_char_p), ("symbol", C.c_char_p), ("address", C.c_uint64), ("size", C.c_uint64),
                ("writable", C.c_int)]


class Param(C.Structure):
    _fields_ = [("name", C.c_char_p), ("type", C.c_char_p), ("pass_", C.c_int), ("offset", C.c_uint64),
                ("size", C.c_uint64), ("align", C.c_uint64), ("element", C.c_char_p), ("element_size", C.c_uint64)]


class Finding(C.Structure):
    _fields_ = [("code", C.c_char_p), ("message", C.c_char_p), ("file", C.c_char_p), ("line", C.c_uint32),
                ("column", C.c_uint32), ("block", C.c_uint32 * 3), ("thread", C.c_uint32 * 3), ("has_thread", C.c_int),
                ("fatal", C.c_int), ("count", C.c_uint64)]


def library():
    lib = C.CDLL(os.path.join(BUILD, "lib", "libmirdc-emu.so.0"))
    for name, ret in (("alloc", C.c_uint64), ("messages", C.c_char_p), ("printed", C.c_char_p),
                      ("finding_count", C.c_size_t), ("find_kernel", C.c_uint32), ("kernel_count", C.c_uint32),
                      ("static_count", C.c_uint32)):
        getattr(lib, "mirdc_emu_" + name).restype = ret
    return lib


class Emulator:
    """One open file. Memory is given as bytes and read as bytes."""

    def __init__(self, path, opt=2, checks=ALL, stack=0):
        self.lib = library()
        with open(path, "rb") as f:
            self.text = f.read()
        o = Options(C.sizeof(Options), opt, checks, 0, stack, os.path.dirname(os.path.abspath(path)).encode())
        self.e = C.c_void_p()
        self.status = self.lib.mirdc_emu_open(self.text, C.c_size_t(len(self.text)), os.path.basename(path).encode(),
                                              C.byref(o), C.byref(self.e))

    def close(self):
        self.lib.mirdc_emu_close(self.e)

    def buffer(self, name, data, align=16, writable=True):
        """Its address."""
        p = self.lib.mirdc_emu_alloc(self.e, name.encode(), C.c_uint64(len(data)), C.c_uint64(align), C.c_int(writable))
        C.memmove(p, data, len(data))
        return p

    def release(self, address):
        self.lib.mirdc_emu_release(self.e, C.c_uint64(address))

    @staticmethod
    def read(address, n):
        return C.string_at(address, n)

    def kernel(self, name):
        return self.lib.mirdc_emu_find_kernel(self.e, name.encode())

    def params(self, name):
        out, p = [], Param()
        while self.lib.mirdc_emu_get_param(self.e, self.kernel(name), len(out), C.byref(p)):
            out.append((p.name.decode(), p.type.decode(), p.pass_, p.offset, p.size))
        return out

    def static(self, name):
        s = Static()
        return s if self.lib.mirdc_emu_find_static(self.e, name.encode(), C.byref(s)) else None

    def run(self, name, grid, block, params=b"", shared=0, limit=20000):
        three = lambda v: tuple(v) + (1,) * (3 - len(v)) if isinstance(v, tuple) else (v, 1, 1)
        l = Launch(C.sizeof(Launch), three(grid), three(block), shared, params, len(params), limit)
        return self.lib.mirdc_emu_run(self.e, C.c_uint32(self.kernel(name)), C.byref(l))

    def messages(self):
        return self.lib.mirdc_emu_messages(self.e, 0).decode()

    def printed(self):
        n = C.c_size_t()
        return self.lib.mirdc_emu_printed(self.e, C.byref(n)).decode()

    def times(self):
        a, b = C.c_uint64(), C.c_uint64()
        self.lib.mirdc_emu_times(self.e, C.byref(a), C.byref(b))
        return a.value, b.value

    def findings(self):
        """[(code, line, block, thread, fatal)]"""
        out, f = [], Finding()
        for i in range(self.lib.mirdc_emu_finding_count(self.e)):
            self.lib.mirdc_emu_get_finding(self.e, C.c_size_t(i), C.byref(f))
            out.append((f.code.decode(), f.line, tuple(f.block), tuple(f.thread), bool(f.fatal)))
        return out
