// First floor, llm: the models that a person's Copilot has, asked of it: they differ from plan to plan. Keeps nothing.
import { Fault, isRecord, messageOf } from '../../base/index.ts';
import { redact } from '../../base/redaction.ts';
import { type Model, THINKING_LEVELS, type ThinkingLevel } from '../../protocol/index.ts';
import { COPILOT_HEADERS } from '../credentials/copilot-headers.ts';
import { readJson } from '../http/limits.ts';
import type { Provider } from './providers.ts';
import type { ServerPorts } from './server-models.ts';

type Fields = Record<string, unknown>;

const TIMEOUT_MS = 5_000;
const CONTEXT_WINDOW = 128_000;
const MAX_TOKENS = 16_384;
const WAY_OUT = 'Sign in again.';

/** The formats that we speak, best first. */
const APIS: readonly (readonly [endpoint: string, api: string])[] = [
  ['/chat/completions', 'openai-completions'],
  ['/responses', 'openai-responses'],
];

export async function listCopilotModels(provider: Provider, ports: ServerPorts): Promise<Model[]> {
  const { data } = await listed(provider, ports);
  if (!Array.isArray(data)) throw new Fault('no_model', `${provider.name} did not list its models. ${WAY_OUT}`);
  return data.filter(isRecord).flatMap((entry) => modelOf(provider, entry));
}

async function listed({ name, baseUrl }: Provider, { fetch, clock, apiKey }: ServerPorts): Promise<Fields> {
  const aborter = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => aborter.abort());
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: { ...COPILOT_HEADERS, ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      signal: aborter.signal,
      redirect: 'error',
    });
    const said = response.ok ? await readJson(response) : undefined;
    if (isRecord(said)) return said;
    throw new Fault('no_model', `${name} answered ${response.status} when asked for its models. ${WAY_OUT}`);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    const why = aborter.signal.aborted
      ? `no answer within ${TIMEOUT_MS / 1000} seconds`
      : redact(messageOf(thrown), [apiKey ?? '']);
    throw new Fault('no_model', `${name} cannot be asked for its models: ${why}`, { cause: thrown });
  } finally {
    cancel();
  }
}

/** Those that the plan hides or the company forbids are not offered, nor those that cannot be spoken with. */
function modelOf({ id: provider, baseUrl }: Provider, entry: Fields): Model[] {
  const { id, name, model_picker_enabled: shown, policy, capabilities } = entry;
  const { type = 'chat', limits, supports } = isRecord(capabilities) ? capabilities : {};
  const can = isRecord(supports) ? supports : {};
  const isForbidden = isRecord(policy) && policy.state === 'disabled';
  const api = apiOf(entry.supported_endpoints);
  if (typeof id !== 'string' || !api || type !== 'chat' || shown === false || isForbidden || can.tool_calls === false) {
    return [];
  }
  const levels = levelsIn(can.reasoning_effort);
  return [
    {
      id,
      name: typeof name === 'string' ? name : id,
      api,
      provider,
      baseUrl,
      reasoning: levels.length > 0,
      input: can.vision === true ? ['text', 'image'] : ['text'],
      ...roomIn(isRecord(limits) ? limits : {}),
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      ...(levels.length > 0 ? { thinkingLevels: levels } : {}),
      headers: COPILOT_HEADERS,
    },
  ];
}

/** Where nothing is said, the format that came first is spoken. */
function apiOf(endpoints: unknown): string | undefined {
  if (!Array.isArray(endpoints)) return APIS[0]?.[1];
  return APIS.find(([endpoint]) => endpoints.includes(endpoint))?.[1];
}

function levelsIn(efforts: unknown): ThinkingLevel[] {
  return Array.isArray(efforts) ? THINKING_LEVELS.filter((level) => efforts.includes(level)) : [];
}

/** The prompt has a limit of its own, which is often less than the window. */
function roomIn(limits: Fields): Pick<Model, 'contextWindow' | 'maxTokens'> {
  const maxTokens = count(limits.max_output_tokens) ?? MAX_TOKENS;
  const prompt = count(limits.max_prompt_tokens);
  const window = count(limits.max_context_window_tokens) ?? CONTEXT_WINDOW;
  const contextWindow = prompt === undefined ? window : Math.min(window, prompt + maxTokens);
  return { contextWindow, maxTokens: Math.min(maxTokens, contextWindow) };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
