package dev.siltstone.bench.run;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;

/** An outcome on its way from child to parent. */
final class OutcomeMessage {
  /** How the fields of further figures begin. */
  private static final String FIGURE = "figure.";

  private OutcomeMessage() {}

  static Message of(Outcome outcome) {
    Measured measured = outcome.measured();
    Measured.Latency latency = measured.latency();
    Message message =
        Message.of("done")
            .with("ops", measured.ops())
            .with("seconds", measured.seconds())
            .with("cut", measured.cut())
            .with("p50", latency.p50())
            .with("p90", latency.p90())
            .with("p99", latency.p99())
            .with("p999", latency.p999())
            .with("max", latency.max())
            .with("disk", outcome.diskBytes())
            .with("peak", outcome.resident().peak())
            .with("anonymous", outcome.resident().anonymous())
            .with("file", outcome.resident().file());
    measured.figures().forEach((name, value) -> message.with(FIGURE + name, value));
    return message;
  }

  static Outcome read(Message message) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (String name : message.fields().keySet()) {
      if (name.startsWith(FIGURE)) {
        figures.put(name.substring(FIGURE.length()), message.real(name));
      }
    }
    Measured.Latency latency =
        new Measured.Latency(
            message.real("p50"),
            message.real("p90"),
            message.real("p99"),
            message.real("p999"),
            message.real("max"));
    return new Outcome(
        new Measured(
            message.number("ops"),
            message.real("seconds"),
            Boolean.parseBoolean(message.get("cut")),
            latency,
            figures),
        message.number("disk"),
        new Outcome.Resident(
            message.number("peak"), message.number("anonymous"), message.number("file")));
  }
}
