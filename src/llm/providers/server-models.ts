// First floor, llm: the models that a server of the user's own has, asked of it. Knows some servers' ways to say more.
import { Fault, isRecord } from '../../base/index.ts';
import type { Clock } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import { publicAddress, trimSlashes, withoutUserinfo } from '../http/address.ts';
import { readJson } from '../http/limits.ts';
import type { Provider } from './providers.ts';

export interface ServerPorts {
  fetch: typeof fetch;
  clock: Pick<Clock, 'after'>;
  apiKey?: string | undefined;
}

/** What a server says of one model, in our words. */
interface Facts {
  id: string;
  contextWindow?: number | undefined;
  sees?: boolean | undefined;
  thinks?: boolean | undefined;
}

const TIMEOUT_MS = 2000;
const CONTEXT_WINDOW = 128_000;
const MAX_TOKENS = 16_384;
/** Some people collect hundreds; asking for each takes a moment, and a list must come at once. */
const MOST_DETAILS = 64;

/** `baseUrl` is the one in force, see `baseUrlOf`. */
export async function listServerModels(provider: Provider, ports: ServerPorts): Promise<Model[]> {
  const ask = createAsk(provider, ports);
  const facts = (await ownList(provider, ask)) ?? (await commonList(provider, ask));
  return facts.map((fact) => modelOf(provider, fact));
}

/** `undefined` when it has none after all: a proxy may show only the common part. */
async function ownList({ lists }: Provider, ask: Ask): Promise<Facts[] | undefined> {
  if (lists === 'ollama') {
    const tags = await ask('/api/tags', { root: true });
    return Array.isArray(tags?.models) ? ollama(ask, tags.models) : undefined;
  }
  if (lists !== 'lmstudio') return undefined;
  const listed = await ask('/api/v0/models', { root: true });
  return Array.isArray(listed?.data) ? records(listed.data).flatMap(lmStudio) : undefined;
}

/** Resolves to `undefined` when the server answers, but not with what was asked for. */
type Ask = (path: string, options?: { root?: boolean; body?: unknown }) => Promise<Record<string, unknown> | undefined>;

function createAsk(provider: Provider, { fetch, clock, apiKey }: ServerPorts): Ask {
  const base = trimSlashes(provider.baseUrl);
  return async (path, { root = false, body } = {}) => {
    const aborter = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => aborter.abort());
    try {
      const { url, headers } = withoutUserinfo(`${root ? base.replace(/\/v1$/, '') : base}${path}`, {
        'content-type': 'application/json',
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      });
      const response = await fetch(url, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers,
        signal: aborter.signal,
        redirect: 'error',
      });
      if (response.status === 401 || response.status === 403) throw locked(provider);
      const answer: unknown = response.ok ? await jsonIn(response, provider) : undefined;
      return isRecord(answer) ? answer : undefined;
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      throw silent(provider, aborter.signal.aborted, thrown);
    } finally {
      cancel();
    }
  };
}

/** `undefined` for a body that is not JSON. */
async function jsonIn(response: Response, { baseUrl }: Provider): Promise<unknown> {
  try {
    return await readJson(response);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) return undefined;
    throw new Fault(
      'no_model',
      `The server at ${publicAddress(baseUrl)} cannot be asked for its models: ${thrown.message}`,
    );
  }
}

function silent({ baseUrl, baseUrlEnv }: Provider, slow: boolean, cause: unknown): Fault {
  const address = publicAddress(baseUrl);
  const where = slow
    ? `The server at ${address} did not answer within ${TIMEOUT_MS / 1000} seconds`
    : `No server answers at ${address}`;
  return new Fault('no_model', `${where}: start it${baseUrlEnv ? `, or set ${baseUrlEnv}` : ''}`, { cause });
}

function locked({ baseUrl, env: [variable] }: Provider): Fault {
  return new Fault(
    'no_credentials',
    `The server at ${publicAddress(baseUrl)} wants a key${variable ? `: set ${variable}` : ''}`,
  );
}

async function ollama(ask: Ask, listed: readonly unknown[]): Promise<Facts[]> {
  const ids = records(listed).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  const facts = await Promise.all(
    ids.map(async (id, index): Promise<Facts | undefined> => {
      if (index >= MOST_DETAILS) return { id };
      const shown = await ask('/api/show', { root: true, body: { model: id } }).catch(() => undefined);
      const can = Array.isArray(shown?.capabilities) ? shown.capabilities : undefined;
      if (can && !can.includes('completion')) return undefined;
      const info = isRecord(shown?.model_info) ? shown.model_info : {};
      const length = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
      return { id, contextWindow: count(length), sees: can?.includes('vision'), thinks: can?.includes('thinking') };
    }),
  );
  return facts.filter((fact) => fact !== undefined);
}

function lmStudio(entry: Record<string, unknown>): Facts[] {
  if (typeof entry.id !== 'string' || entry.type === 'embeddings') return [];
  const contextWindow = count(entry.loaded_context_length) ?? count(entry.max_context_length);
  return [{ id: entry.id, contextWindow, sees: entry.type === 'vlm' }];
}

/** vLLM says `max_model_len`; llama.cpp says elsewhere what it has loaded. */
async function commonList({ baseUrl, lists }: Provider, ask: Ask): Promise<Facts[]> {
  const [listed, props] = await Promise.all([
    ask('/models'),
    lists === 'llamacpp' ? ask('/props', { root: true }) : undefined,
  ]);
  if (!Array.isArray(listed?.data)) {
    const address = publicAddress(baseUrl);
    throw new Fault(
      'no_model',
      `The server at ${address} answers, but does not list its models under ${address}/models`,
    );
  }
  const loaded = isRecord(props?.default_generation_settings) ? props.default_generation_settings : {};
  const sees = isRecord(props?.modalities) && props.modalities.vision === true;
  return records(listed.data).flatMap(({ id, max_model_len: longest, meta }): Facts[] => {
    if (typeof id !== 'string') return [];
    const trained = isRecord(meta) ? count(meta.n_ctx_train) : undefined;
    return [{ id, contextWindow: count(longest) ?? count(loaded.n_ctx) ?? trained, sees }];
  });
}

function modelOf({ id: provider, api, baseUrl }: Provider, { id, contextWindow, sees, thinks }: Facts): Model {
  const window = contextWindow ?? CONTEXT_WINDOW;
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl,
    reasoning: thinks === true,
    input: sees ? ['text', 'image'] : ['text'],
    contextWindow: window,
    maxTokens: Math.min(MAX_TOKENS, window),
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

function records(list: readonly unknown[]): Record<string, unknown>[] {
  return list.filter(isRecord);
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
