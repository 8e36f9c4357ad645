// What was chosen for a session of a server beside its model and its messages. Stored in a sidecar file of the session. Pure.
import { array, boolean, type InferOutput, literal, optional, record, strictObject, string, unknown } from 'valibot';
import { Fault, getErrorMessage } from '../../base/index.ts';
import { type OpenSessionRequest, validate } from '../../contracts/index.ts';

export const CHOICES_FILE = 'choices.json';

const changedValues = record(string(), strictObject({ value: unknown(), default: optional(unknown()) }));

/** Unknown fields are refused: one of them may restrict the session. */
const sessionChoices = strictObject({
  version: literal(1),
  systemPrompt: optional(string()),
  /** With which the session was opened. */
  tools: optional(array(string())),
  /** Of these, those that are offered to the model. */
  selectedTools: optional(array(string())),
  features: optional(strictObject({ subAgents: boolean(), skills: boolean(), mcp: boolean() })),
  fastMode: optional(boolean()),
  /** The names of the MCP servers of the host. Their definitions may contain keys, so they are kept in memory only. */
  mcpServers: optional(array(string())),
  /** See SessionChanges. */
  settings: optional(changedValues, {}),
  modes: optional(changedValues, {}),
});

export type SessionChoices = InferOutput<typeof sessionChoices>;

/** `file` is named in the Fault for a text that is not valid. */
export function parseChoices(text: string, file: string): SessionChoices {
  try {
    return validate(sessionChoices, parseJson(text));
  } catch (thrown) {
    throw createInvalidFault(file, getErrorMessage(thrown));
  }
}

export function createInvalidFault(file: string, problem: string): Fault {
  const message = `The stored choices of the session cannot be read, so it is not opened: ${problem}. Correct this file, or delete it to open the session with the settings of the server: ${file}`;
  return new Fault('storage', message);
}

/** The choices with the same text are the same. `undefined` when nothing was chosen. */
export function serializeChoices(choices: SessionChoices): string | undefined {
  const { version, settings, modes } = choices;
  const { systemPrompt, tools, selectedTools, features, fastMode, mcpServers } = choices;
  const others = { systemPrompt, tools, selectedTools, features, fastMode, mcpServers };
  const isEmpty = Object.values({ ...others, ...settings, ...modes }).every((value) => value === undefined);
  return isEmpty ? undefined : `${JSON.stringify({ version, ...others, settings, modes })}\n`;
}

/** Values of the request replace stored ones. Tools that the command line does not allow are left out. */
export function applyChoices(
  request: OpenSessionRequest,
  { systemPrompt, tools, features }: SessionChoices,
  allowedTools: readonly string[] | undefined,
): OpenSessionRequest {
  return {
    ...request,
    systemPrompt: request.systemPrompt ?? systemPrompt,
    tools: request.tools ?? tools?.filter((name) => !allowedTools || allowedTools.includes(name)),
    features: { ...features, ...request.features },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('storage', 'it is not JSON');
  }
}
