package dev.siltstone.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import java.util.Map;
import org.junit.jupiter.api.Test;

// Goal: what one side says the other one hears, whatever is in it.
// Method: round trips of awkward values, and lines that are not of the protocol.
final class MessageTest {
  @Test
  void aMessageComesThroughWhole() {
    Message said =
        Message.of("failed").with("message", "a = b\n\t\"c\" %41 äöü").with("n", 7).with("x", 1.5);

    Message heard = Message.parse(said.line());

    assertThat(said.line()).doesNotContain("\n").startsWith("@bench failed ");
    assertThat(heard).isEqualTo(said);
    assertThat(heard.number("n")).isEqualTo(7);
    assertThat(heard.real("x")).isEqualTo(1.5);
  }

  @Test
  void anOutcomeComesThroughWhole() {
    Outcome said =
        new Outcome(
            new Measured(
                12,
                0.25,
                true,
                new Measured.Latency(1, 2, Double.NaN, 4, 5),
                Map.of("all_reget_per_s", 3.5)),
            4096,
            new Outcome.Resident(3, 2, -1));

    Outcome heard = OutcomeMessage.read(Message.parse(OutcomeMessage.of(said).line()));

    assertThat(heard).isEqualTo(said);
    assertThat(heard.measured().rate()).isEqualTo(48);
  }

  @Test
  void otherLinesAreNotMessages() {
    assertThat(Message.parse("WARNING: something native")).isNull();
    assertThat(Message.parse("@bench run workload")).isNull();
    assertThatThrownBy(() -> Message.of("run").get("workload"))
        .hasMessageContaining("run")
        .hasMessageContaining("workload");
  }
}
