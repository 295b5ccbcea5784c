package dev.siltstone.tools;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code siltstone help}. The one that picocli brings does not bear the options all commands have.
 */
@Command(name = "help", description = "Explains a command, or all of them.", helpCommand = true)
final class HelpCommand implements Callable<Integer> {
  @Parameters(index = "0", arity = "0..1", paramLabel = "COMMAND", description = "The command.")
  private @Nullable String command;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    CommandLine self = Objects.requireNonNull(spec).commandLine();
    CommandLine all = self.getParent();
    CommandLine asked = command == null ? all : all.getSubcommands().get(command);
    if (asked == null) {
      throw new ParameterException(self, "no command '" + command + "'");
    }
    asked.usage(all.getOut());
    return ExitCodes.OK;
  }
}
