package dev.siltstone.tools;

import org.jspecify.annotations.Nullable;

/**
 * What one check of the doctor has found.
 *
 * @param check what was looked at
 * @param verdict how it is
 * @param found the figure, with its unit
 * @param advice what to do, or {@code null}
 */
record Finding(String check, Verdict verdict, String found, @Nullable String advice) {

  /** How a thing is. */
  enum Verdict {
    /** As it should be. */
    OK("ok"),
    /** It will work, but not as well, or not as safely, as it could. */
    WARN("warn"),
    /** It will not work. */
    FAIL("FAIL");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  static Finding ok(String check, String found) {
    return new Finding(check, Verdict.OK, found, null);
  }

  static Finding warn(String check, String found, String advice) {
    return new Finding(check, Verdict.WARN, found, advice);
  }

  static Finding fail(String check, String found, String advice) {
    return new Finding(check, Verdict.FAIL, found, advice);
  }
}
