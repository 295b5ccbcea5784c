package dev.siltstone.house;

import java.util.ArrayList;
import java.util.List;

/** Finds the comments of a Java source; the parser of the JDK throws most of them away. */
final class Comments {
  /** One comment: its text with the marks, and the line it begins on, from 1. */
  record Comment(int line, String text) {}

  private final String source;
  private final List<Comment> found = new ArrayList<>();
  private int at;
  private int line = 1;

  private Comments(String source) {
    this.source = source;
  }

  /** All comments, in order. */
  static List<Comment> of(String source) {
    Comments comments = new Comments(source);
    while (comments.at < source.length()) {
      comments.step();
    }
    return comments.found;
  }

  private void step() {
    if (source.startsWith("//", at)) {
      comment("\n", 0);
    } else if (source.startsWith("/*", at)) {
      comment("*/", 2);
    } else if (source.startsWith("\"\"\"", at)) {
      quoted("\"\"\"");
    } else if (source.charAt(at) == '"' || source.charAt(at) == '\'') {
      quoted(source.substring(at, at + 1));
    } else {
      skipTo(at + 1);
    }
  }

  private void comment(String end, int endLength) {
    int stop = source.indexOf(end, at + 2);
    stop = stop < 0 ? source.length() : stop + endLength;
    found.add(new Comment(line, source.substring(at, stop)));
    skipTo(stop);
  }

  private void quoted(String quote) {
    int stop = at + quote.length();
    while (stop < source.length() && !source.startsWith(quote, stop)) {
      stop += source.charAt(stop) == '\\' ? 2 : 1;
    }
    skipTo(Math.min(source.length(), stop + quote.length()));
  }

  private void skipTo(int stop) {
    for (; at < stop; at++) {
      if (source.charAt(at) == '\n') {
        line++;
      }
    }
  }
}
