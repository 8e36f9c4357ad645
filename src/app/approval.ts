// The hall: asks the host before a tool acts, where the settings say so. Reads what a tool does, never what it is called.
import type { Hooks, HostUi, PlannedCall } from '../contracts/index.ts';
import type { APPROVALS } from './choices.ts';

/** Nobody there, or nobody who answers in time, is a no. */
const PATIENCE_MS = 30_000;
const ALLOW = 'allow';
const DENY = 'deny';
const ALLOW_SESSION = 'allow_session';
const LONGEST_MESSAGE = 2_000;

/** `host` is looked for anew every time: it may have gone. */
export function createGate(
  policy: () => (typeof APPROVALS)[number],
  host: () => HostUi | undefined,
): NonNullable<Hooks['toolCall']> {
  /** What the person said yes to for the rest of the session. */
  const allowed = new Set<string>();
  return async (call) => {
    if (allowed.has(call.toolName) || !asks(policy(), call.effect)) return undefined;
    const said = await decision(call, host());
    if (said === ALLOW_SESSION) allowed.add(call.toolName);
    if (said === ALLOW || said === ALLOW_SESSION) return undefined;
    return { block: true, reason: refusal(call.toolName, said) };
  };
}

function asks(policy: (typeof APPROVALS)[number], effect: PlannedCall['effect']): boolean {
  if (policy === 'on-write') return effect !== 'read';
  if (policy === 'on-execute') return effect === 'execute';
  return policy === 'always';
}

async function decision(call: PlannedCall, host: HostUi | undefined): Promise<string | undefined> {
  const question = {
    method: 'select' as const,
    title: `Allow ${call.toolName}?`,
    message: messageOf(call),
    options: [ALLOW, DENY, ALLOW_SESSION],
    timeout: PATIENCE_MS,
  };
  const answer = await host?.ask(question, { timeout: PATIENCE_MS, signal: call.signal });
  return answer && 'value' in answer ? answer.value : undefined;
}

function messageOf({ toolName, input }: PlannedCall): string {
  const text = `${toolName} ${JSON.stringify(input)}`;
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}

function refusal(tool: string, said: string | undefined): string {
  return said === undefined
    ? `Nobody allowed ${tool} in time, so it was not run.`
    : `The user does not allow ${tool} here. Nothing was run.`;
}
