// Lists the models of the user's Copilot plan. The list differs between plans.
import { Fault, getErrorMessage, isRecord } from '../../base/index.ts';
import { redact } from '../../base/redaction.ts';
import { type Model, THINKING_LEVELS, type ThinkingLevel } from '../../protocol/index.ts';
import { readJson } from '../../support/response-text.ts';
import { COPILOT_HEADERS } from './copilot-headers.ts';
import type { Provider } from './providers.ts';
import type { ModelListPorts } from './server-models.ts';

type Fields = Record<string, unknown>;

const TIMEOUT_MS = 5_000;
const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;
const SIGN_IN_HINT = 'Sign in again.';

/** Supported wire formats, in order of preference. */
const API_BY_ENDPOINT: readonly (readonly [endpoint: string, api: string])[] = [
  ['/chat/completions', 'openai-completions'],
  ['/responses', 'openai-responses'],
];

export async function listCopilotModels(provider: Provider, ports: ModelListPorts): Promise<Model[]> {
  const { data } = await fetchModelList(provider, ports);
  if (!Array.isArray(data)) throw new Fault('no_model', `${provider.name} did not list its models. ${SIGN_IN_HINT}`);
  return data.filter(isRecord).flatMap((entry) => toModels(provider, entry));
}

async function fetchModelList({ name, baseUrl }: Provider, { fetch, clock, apiKey }: ModelListPorts): Promise<Fields> {
  const aborter = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => aborter.abort());
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: { ...COPILOT_HEADERS, ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      signal: aborter.signal,
      redirect: 'error',
    });
    const body = response.ok ? await readJson(response) : undefined;
    if (isRecord(body)) return body;
    throw new Fault('no_model', `${name} returned status ${response.status} for the list of models. ${SIGN_IN_HINT}`);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    const reason = aborter.signal.aborted
      ? `no answer within ${TIMEOUT_MS / 1000} seconds`
      : redact(getErrorMessage(thrown), [apiKey ?? '']);
    throw new Fault('no_model', `The models of ${name} cannot be listed: ${reason}`, { cause: thrown });
  } finally {
    cancel();
  }
}

/** Empty for models that the plan hides, that the organization disables, or that no supported format can reach. */
function toModels({ id: provider, baseUrl }: Provider, entry: Fields): Model[] {
  const { id, name, model_picker_enabled: pickerEnabled, policy, capabilities } = entry;
  const { type = 'chat', limits, supports } = isRecord(capabilities) ? capabilities : {};
  const abilities = isRecord(supports) ? supports : {};
  const isForbidden = isRecord(policy) && policy.state === 'disabled';
  const api = selectApi(entry.supported_endpoints);
  if (
    typeof id !== 'string' ||
    !api ||
    type !== 'chat' ||
    pickerEnabled === false ||
    isForbidden ||
    abilities.tool_calls === false
  ) {
    return [];
  }
  const levels = readThinkingLevels(abilities.reasoning_effort);
  return [
    {
      id,
      name: typeof name === 'string' ? name : id,
      api,
      provider,
      baseUrl,
      reasoning: levels.length > 0,
      input: abilities.vision === true ? ['text', 'image'] : ['text'],
      ...readTokenLimits(isRecord(limits) ? limits : {}),
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      ...(levels.length > 0 ? { thinkingLevels: levels } : {}),
      headers: COPILOT_HEADERS,
    },
  ];
}

/** Without a list of endpoints the first format is used. */
function selectApi(endpoints: unknown): string | undefined {
  if (!Array.isArray(endpoints)) return API_BY_ENDPOINT[0]?.[1];
  return API_BY_ENDPOINT.find(([endpoint]) => endpoints.includes(endpoint))?.[1];
}

function readThinkingLevels(efforts: unknown): ThinkingLevel[] {
  return Array.isArray(efforts) ? THINKING_LEVELS.filter((level) => efforts.includes(level)) : [];
}

/** The prompt has a separate limit, which is often smaller than the context window. */
function readTokenLimits(limits: Fields): Pick<Model, 'contextWindow' | 'maxTokens'> {
  const maxTokens = readPositiveInteger(limits.max_output_tokens) ?? DEFAULT_MAX_TOKENS;
  const prompt = readPositiveInteger(limits.max_prompt_tokens);
  const window = readPositiveInteger(limits.max_context_window_tokens) ?? DEFAULT_CONTEXT_WINDOW;
  const contextWindow = prompt === undefined ? window : Math.min(window, prompt + maxTokens);
  return { contextWindow, maxTokens: Math.min(maxTokens, contextWindow) };
}

function readPositiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
