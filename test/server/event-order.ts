// The allowed order of events, as a state machine.
import type { Frame } from './harness.ts';

type State = 'idle' | 'run' | 'turn' | 'message' | 'tool' | 'between';

/** State transitions by event. `between`: a run has ended, but the session has not settled. */
const TRANSITIONS: Readonly<Record<string, readonly (readonly [from: State, to: State])[]>> = {
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

/** Finds violations of the order in a list of events. At the end the session must have settled. */
export function findOrderErrors(events: readonly Frame[]): string[] {
  const errors: string[] = [];
  let state: State = 'idle';
  let current: unknown;
  for (const event of events) {
    const transition = TRANSITIONS[event.type]?.find(([from]) => from === state);
    if (!transition) return [...errors, `${event.type} in state ${state}`];
    const subject = event.toolCallId ?? (event.message as { role?: string } | undefined)?.role;
    if (state === 'tool' && subject !== current) errors.push(`${event.type} of ${subject} during ${current}`);
    if (state === 'message' && event.type === 'message_end' && subject !== current) {
      errors.push(`a message of role ${current} ends with role ${subject}`);
    }
    if (event.type === 'message_start' || event.type === 'tool_execution_start') current = subject;
    state = transition[1];
  }
  if (state !== 'idle') errors.push(`ended in state ${state}`);
  return errors;
}
