/* Lines of the libraries' logs. */
#include "linkers/tool_log.h"

enum { MAX_LINES = 30 };

void tool_log_notes(struct diag *d, const char *tool, str log, int rc) {
  str line;
  size_t shown = 0, left = 0;
  while (str_next_line(&log, &line)) {
    line = str_trim(line);
    if (line.n == 0) {
      continue;
    }
    if (shown == MAX_LINES) {
      left++;
      continue;
    }
    diag_note(d, "%s: %.*s", tool, STR_ARG(str_sub(line, 0, 600)));
    shown++;
  }
  if (left > 0) {
    diag_note(d, "%zu more lines", left);
  }
  if (shown == 0) {
    diag_note(d, "%s returned %d and says nothing", tool, rc);
  }
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word, not a part of a symbol's name: logs also list functions such as `error_flag`. */
static bool has_word(str line, str word) {
  for (size_t at = str_find(line, word, 0); at != SIZE_MAX; at = str_find(line, word, at + 1)) {
    size_t end = at + word.n;
    bool quoted = at > 0 && (line.p[at - 1] == '\'' || line.p[at - 1] == '$');
    if ((at == 0 || !is_word(line.p[at - 1])) && (end == line.n || !is_word(line.p[end])) &&
        !quoted) {
      return true;
    }
  }
  return false;
}

/* Lines about a function by name: "Compiling entry function 'error' for …". */
static bool is_report(str line) {
  return str_starts(line, STR("ptxas info")) || str_starts(line, STR("ptxas         ."));
}

bool tool_log_has_error(str log, str *line) {
  static const str words[] = {{"error", 5}, {"ERROR", 5}, {"Error", 5}, {"fatal", 5}};
  while (str_next_line(&log, line)) {
    for (size_t i = 0; i < COUNT_OF(words) && !is_report(*line); i++) {
      if (has_word(*line, words[i])) {
        return true;
      }
    }
  }
  *line = STR_NULL;
  return false;
}

str tool_log_quoted(str log, str marker) {
  size_t at = str_find(log, marker, 0);
  if (at == SIZE_MAX) {
    return STR_NULL;
  }
  size_t open = str_find_char(log, '\'', at + marker.n);
  size_t close = open == SIZE_MAX ? SIZE_MAX : str_find_char(log, '\'', open + 1);
  return close == SIZE_MAX ? STR_NULL : str_sub(log, open + 1, close);
}
