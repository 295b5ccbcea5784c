package dev.siltstone.bench.run;

/**
 * What one engine gave at one workload.
 *
 * @param measured rate and latencies
 * @param diskBytes bytes its files took right afterwards, or -1 if not known
 * @param residentBytes largest resident memory during the run, mapped files included, or -1
 */
public record Outcome(Measured measured, long diskBytes, long residentBytes) {

  Message message() {
    Measured.Latency latency = measured.latency();
    return Message.of("done")
        .with("ops", measured.ops())
        .with("seconds", measured.seconds())
        .with("cut", measured.cut())
        .with("p50", latency.p50())
        .with("p99", latency.p99())
        .with("p999", latency.p999())
        .with("max", latency.max())
        .with("disk", diskBytes)
        .with("resident", residentBytes);
  }

  static Outcome of(Message message) {
    Measured.Latency latency =
        new Measured.Latency(
            message.real("p50"), message.real("p99"), message.real("p999"), message.real("max"));
    return new Outcome(
        new Measured(
            message.number("ops"),
            message.real("seconds"),
            Boolean.parseBoolean(message.get("cut")),
            latency),
        message.number("disk"),
        message.number("resident"));
  }
}
