// The hall: asks the host before a tool acts, where the settings say so. Reads what a tool does, never what it is called.
import { visible } from '../base/visible.ts';
import type { Hooks, HostUi, PlannedCall } from '../contracts/index.ts';
import type { APPROVALS } from './choices.ts';

/** Nobody there, or nobody who answers in time, is a no. */
const PATIENCE_MS = 30_000;
const ALLOW = 'allow';
const DENY = 'deny';
const ALLOW_SESSION = 'allow_session';
/** Characters. A longer text cannot be reviewed, and what is not shown must not be approved. */
const LONGEST_MESSAGE = 100_000;

/** `host` is looked for anew every time: it may have gone. */
export function createGate(
  policy: () => (typeof APPROVALS)[number],
  host: () => HostUi | undefined,
): NonNullable<Hooks['toolCall']> {
  /** What the person said yes to for the rest of the session. */
  const allowed = new Set<string>();
  return async (call) => {
    if (allowed.has(call.toolName) || !asks(policy(), call.effect)) return undefined;
    const message = messageOf(call);
    if (message.length > LONGEST_MESSAGE) return { block: true, reason: tooLong(call.toolName, message.length) };
    const said = await decision(call, message, host());
    if (said === ALLOW_SESSION) allowed.add(call.toolName);
    if (said === ALLOW || said === ALLOW_SESSION) return undefined;
    return { block: true, reason: refusal(call.toolName, said) };
  };
}

function asks(policy: (typeof APPROVALS)[number], effect: PlannedCall['effect']): boolean {
  if (policy === 'on-write') return effect !== 'read';
  if (policy === 'on-execute') return effect === 'execute';
  return policy !== 'never';
}

async function decision(call: PlannedCall, message: string, host: HostUi | undefined): Promise<string | undefined> {
  const question = {
    method: 'select' as const,
    title: `Allow ${call.toolName}?`,
    message,
    options: [ALLOW, DENY, ALLOW_SESSION],
    timeout: PATIENCE_MS,
  };
  const answer = await host?.ask(question, { timeout: PATIENCE_MS, signal: call.signal });
  return answer && 'value' in answer ? answer.value : undefined;
}

/** All of the arguments. Characters that a screen does not show are escaped, as JSON escapes control characters. */
function messageOf({ toolName, input }: PlannedCall): string {
  return visible(`${toolName} ${JSON.stringify(input)}`);
}

function tooLong(tool: string, length: number): string {
  const sizes = `${length} characters, at most ${LONGEST_MESSAGE}`;
  return `${tool} was not run: its arguments are too long to be shown for approval (${sizes}). Use several smaller calls.`;
}

function refusal(tool: string, said: string | undefined): string {
  return said === undefined
    ? `Nobody allowed ${tool} in time, so it was not run.`
    : `The user does not allow ${tool} here. Nothing was run.`;
}
