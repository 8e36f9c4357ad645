// Finds the program calls in a command line for the shell. What is not understood is reported, never guessed.
import { CallInterpreter } from './calls/call-interpreter.ts';
import type { ParsedCommand } from './parsed-command.ts';
import { createShellFacts } from './syntax/shell-facts.ts';

export type { ParsedCommand, ShellRedirection, ShellWord, SimpleCommand } from './parsed-command.ts';

/** `shell` is the path of the shell that runs the text with `-c`. */
export function parseShellCommand(text: string, shell: string): ParsedCommand {
  const facts = createShellFacts();
  const interpreter = new CallInterpreter(facts);
  const name = shell.slice(Math.max(shell.lastIndexOf('/'), shell.lastIndexOf('\\')) + 1).replace(/\.exe$/, '');
  if (!['bash', 'sh', 'dash'].includes(name)) facts.problems.add(`The syntax of the shell ${name} is not understood.`);
  interpreter.interpretText(text, name === 'bash', undefined);
  if (facts.hasArithmeticNames && facts.hasUnsafeValues)
    facts.problems.add(
      'Arithmetic uses a value that is known only when the command runs. The shell could run commands in it.',
    );
  if (facts.hasArrays && facts.hasUnknownDeclarations)
    facts.problems.add('A declaration could expand a value that is known only when the command runs.');
  const commands = interpreter.calls.map((call) => ({
    ...call,
    assignments: [...new Set([...call.assignments, ...facts.variables])],
  }));
  return { commands, redirections: facts.redirections, problems: [...facts.problems] };
}
