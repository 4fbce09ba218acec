"""Makes a program smaller that a check finds fault with: statements and items are left out, and expressions are
replaced by parts of themselves, as long as the fault stays. The text is only cut at brackets and
semicolons; whether a cut still is Rust is for rustc to say. Used by gen.py."""
import re, time

OPEN, CLOSE = "({[", ")}]"
TOKEN = re.compile(r"b?'(?:\\u\{[^}]*\}|\\.|[^'\\\n])'|\"(?:\\.|[^\"\\])*\"|[(){}\[\];,]|=>")


def tokens(text):
    """(position, end, token) of brackets and separators; characters and strings are passed over."""
    return [(m.start(), m.end(), m.group()) for m in TOKEN.finditer(text) if m.group()[0] not in "b'\""]


def groups(text):
    """(start, end, depth) of everything in brackets, outermost first."""
    stack, out = [], []
    for at, end, t in tokens(text):
        if t in OPEN:
            stack.append(at)
        elif t in CLOSE and stack:
            start = stack.pop()
            out.append((start, end, len(stack)))
    return sorted(out, key=lambda g: (g[2], g[0] - g[1]))


def statements(text, start, end):
    """(start, end) of the pieces of a block: up to a semicolon or a closing brace that ends one."""
    depth, begin, out = 0, start + 1, []
    for at, stop, t in tokens(text[start + 1:end - 1]):
        at, stop = at + start + 1, stop + start + 1
        if t in OPEN:
            depth += 1
        elif t in CLOSE:
            depth -= 1
            rest = text[stop:end].lstrip()
            if depth == 0 and t == "}" and not re.match(r"else\b|[.?;,)\]}=+*/%&|^<>!-]", rest):
                out.append((begin, stop))
                begin = stop
        elif t == ";" and depth == 0:
            out.append((begin, stop))
            begin = stop
    return out


def cuts(text):
    """(start, end, replacement) to try, those that save most first."""
    found = set()
    all_groups = groups(text)
    for start, end, _ in all_groups:
        if text[start] == "{":
            pieces = statements(text, start, end)
            for n in (len(pieces), 8, 4, 2, 1):
                for i in range(0, len(pieces), max(n, 1)):
                    run = pieces[i:i + max(n, 1)]
                    if run:
                        found.add((run[0][0], run[-1][1], ""))
        for s, e, _ in all_groups:
            if start < s and e < end and text[s] == text[start] and text[start] in "({":
                found.add((start, end, text[s:e]))
    return sorted(found, key=lambda c: (len(c[2]) - (c[1] - c[0]), c[0]))


def without_items(text, interesting, limit):
    """Leaves out whole lines before the test."""
    lines = text.split("\n")
    step = max(1, len(lines) // 2)
    while step >= 1 and time.time() < limit:
        i = 0
        while i < len(lines) and time.time() < limit:
            less = lines[:i] + lines[i + step:]
            if interesting("\n".join(less)):
                lines = less
            else:
                i += step
        step //= 2
    return "\n".join(lines)


def shrink(text, interesting, seconds):
    """The smallest text found in that time for which interesting(text) is still true."""
    limit = time.time() + seconds
    text = without_items(text, interesting, limit)
    progress = True
    while progress and time.time() < limit:
        progress = False
        for start, end, by in cuts(text):
            if time.time() > limit:
                break
            if end - start <= len(by) + 1:
                continue
            less = text[:start] + by + text[end:]
            if interesting(less):
                text, progress = less, True
                break
    return without_items(text, interesting, limit + 30)


def self_check():
    text = """fn a() { ';' }
fn b() { let x = '}'; if x == '{' { f(1); } else { g("(;", (KEEP + (2 * 3)), 4); h() } let y = 5; y }
fn c() { KEEP_NOT }"""
    def whole(t):
        depth = 0
        for _, _, c in tokens(t):
            depth += (c in OPEN) - (c in CLOSE)
            if depth < 0:
                return False
        return depth == 0 and "fn b" in t and re.search(r"\bKEEP\b", t) is not None
    small = shrink(text, whole, 20)
    good = whole(small) and len(small) < 60 and "\n" not in small
    print("ok a program is made small" if good else "not ok a program is made small: " + small)
    return good


if __name__ == "__main__":
    raise SystemExit(0 if self_check() else 1)
