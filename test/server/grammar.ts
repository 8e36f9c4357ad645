// The order in which events may come, as an automaton. Knows nothing of what the messages say.
import type { Frame } from './world.ts';

type Place = 'idle' | 'run' | 'turn' | 'message' | 'tool' | 'between';

/** From where, by which event, to where. `between`: a run is over, but the session has not settled. */
const MOVES: Readonly<Record<string, readonly (readonly [from: Place, to: Place])[]>> = {
  agent_start: [
    ['idle', 'run'],
    ['between', 'run'],
  ],
  agent_end: [['run', 'between']],
  agent_settled: [['between', 'idle']],
  turn_start: [['run', 'turn']],
  turn_end: [['turn', 'run']],
  message_start: [['turn', 'message']],
  message_update: [['message', 'message']],
  message_end: [['message', 'turn']],
  tool_execution_start: [['turn', 'tool']],
  tool_execution_update: [['tool', 'tool']],
  tool_execution_end: [['tool', 'turn']],
};

/** What breaks the order; events only, in the order they came. At the end everything must have settled. */
export function disorder(events: readonly Frame[]): string[] {
  const found: string[] = [];
  let place: Place = 'idle';
  let open: unknown;
  for (const event of events) {
    const move = MOVES[event.type]?.find(([from]) => from === place);
    if (!move) return [...found, `${event.type} while ${place}`];
    const subject = event.toolCallId ?? (event.message as { role?: string } | undefined)?.role;
    if (place === 'tool' && subject !== open) found.push(`${event.type} of ${subject} inside ${open}`);
    if (place === 'message' && event.type === 'message_end' && subject !== open) {
      found.push(`a message of ${open} ends as one of ${subject}`);
    }
    if (event.type === 'message_start' || event.type === 'tool_execution_start') open = subject;
    place = move[1];
  }
  if (place !== 'idle') found.push(`ended while ${place}`);
  return found;
}
