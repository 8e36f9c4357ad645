// Describes in one line what the agent is doing, for the progress of a call.
import { sanitizeLine } from '../../../../base/safe-text.ts';
import type { Tool } from '../../../../contracts/index.ts';
import type { AgentEvent } from '../../../../protocol/index.ts';

const MAX_LENGTH = 200;

/** Returns a function that returns `undefined` for events that are not worth reporting. `tools` are by name. */
export function createActivityDescriber(
  tools: ReadonlyMap<string, Pick<Tool, 'fileAccess'>>,
): (event: AgentEvent) => string | undefined {
  let turns = 0;
  return (event) => {
    if (event.type === 'turn_start') turns += 1;
    const text = describe(event, turns, tools);
    return text && shorten(sanitizeLine(text.trim()));
  };
}

function describe(
  event: AgentEvent,
  turns: number,
  tools: ReadonlyMap<string, Pick<Tool, 'fileAccess'>>,
): string | undefined {
  switch (event.type) {
    case 'turn_start':
      return turns === 1 ? 'Waiting for the model' : `Turn ${turns}: waiting for the model`;
    case 'tool_execution_start':
      return describeCall(event.toolName, event.args, tools.get(event.toolName)?.fileAccess);
    case 'auto_retry_start':
      return `Attempt ${event.attempt} of ${event.maxAttempts} follows after an error: ${event.errorMessage}`;
    case 'auto_compaction_start':
    case 'compaction_start':
      return 'Compacting the conversation';
    default:
      return undefined;
  }
}

/** The names of the arguments decide, not the name of the tool, so that tools of extensions are described too. */
function describeCall(name: string, args: Record<string, unknown>, fileAccess: Tool['fileAccess']): string {
  const { command, pattern, path } = args;
  if (fileAccess && typeof path === 'string') return `${fileAccess === 'read' ? 'Reading' : 'Editing'} ${path}`;
  const target = [command, pattern, path, ...Object.values(args)].find((value) => typeof value === 'string');
  return target === undefined ? name : `${name}: ${target}`;
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : text;
}
