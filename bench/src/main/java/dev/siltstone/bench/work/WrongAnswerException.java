package dev.siltstone.bench.work;

/** A store answered something that was never written, or missed what was. */
public final class WrongAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A wrong answer; the message says to which question, what came and what was due. */
  public WrongAnswerException(String message) {
    super(message);
  }
}
