// Lists the models of a local server, with the provider-specific API if it has one.
import { Fault, isRecord } from '../../base/index.ts';
import type { Clock } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import { readJson } from '../../support/response-text.ts';
import { moveUserinfoToHeader, redactUrl, trimSlashes } from '../http/url-secrets.ts';
import type { Provider } from './providers.ts';

export interface ModelListPorts {
  fetch: typeof fetch;
  clock: Pick<Clock, 'after'>;
  apiKey?: string | undefined;
}

/** Properties of one model as reported by the server. */
interface ServerModel {
  id: string;
  contextWindow?: number | undefined;
  hasVision?: boolean | undefined;
  hasThinking?: boolean | undefined;
}

const TIMEOUT_MS = 2000;
const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;
/** Ollama needs one request per model for details. Limits the time that listing hundreds of models takes. */
const MAX_DETAIL_REQUESTS = 64;

/** `provider.baseUrl` must be the effective one, see `resolveBaseUrl`. */
export async function listServerModels(provider: Provider, ports: ModelListPorts): Promise<Model[]> {
  const requestJson = createRequestJson(provider, ports);
  const serverModels = (await fetchNativeList(provider, requestJson)) ?? (await fetchOpenAiList(provider, requestJson));
  return serverModels.map((serverModel) => toModel(provider, serverModel));
}

/** `undefined` when the server does not have this API, for example behind a proxy that exposes only `/v1`. */
async function fetchNativeList({ listFormat }: Provider, requestJson: RequestJson): Promise<ServerModel[] | undefined> {
  if (listFormat === 'ollama') {
    const tags = await requestJson('/api/tags', { root: true });
    return Array.isArray(tags?.models) ? fetchOllamaModels(requestJson, tags.models) : undefined;
  }
  if (listFormat !== 'lmstudio') return undefined;
  const listed = await requestJson('/api/v0/models', { root: true });
  return Array.isArray(listed?.data) ? filterRecords(listed.data).flatMap(toLmStudioModels) : undefined;
}

/** Resolves to `undefined` when the server responds with an error status or something that is not a JSON object. */
type RequestJson = (
  path: string,
  options?: { root?: boolean; body?: unknown },
) => Promise<Record<string, unknown> | undefined>;

function createRequestJson(provider: Provider, { fetch, clock, apiKey }: ModelListPorts): RequestJson {
  const base = trimSlashes(provider.baseUrl);
  return async (path, { root = false, body } = {}) => {
    const aborter = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => aborter.abort());
    try {
      const { url, headers } = moveUserinfoToHeader(`${root ? base.replace(/\/v1$/, '') : base}${path}`, {
        'content-type': 'application/json',
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      });
      const response = await fetch(url, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers,
        signal: aborter.signal,
        redirect: 'error',
      });
      if (response.status === 401 || response.status === 403) throw createUnauthorizedFault(provider);
      const json: unknown = response.ok ? await readResponseJson(response, provider) : undefined;
      return isRecord(json) ? json : undefined;
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      throw createUnreachableFault(provider, aborter.signal.aborted, thrown);
    } finally {
      cancel();
    }
  };
}

/** `undefined` for a body that is not JSON. */
async function readResponseJson(response: Response, { baseUrl }: Provider): Promise<unknown> {
  try {
    return await readJson(response);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) return undefined;
    throw new Fault(
      'no_model',
      `The models of the server at ${redactUrl(baseUrl)} cannot be listed: ${thrown.message}`,
    );
  }
}

function createUnreachableFault({ baseUrl, baseUrlEnv }: Provider, timedOut: boolean, cause: unknown): Fault {
  const address = redactUrl(baseUrl);
  const problem = timedOut
    ? `The server at ${address} did not answer within ${TIMEOUT_MS / 1000} seconds`
    : `No server answers at ${address}`;
  return new Fault('no_model', `${problem}: start it${baseUrlEnv ? `, or set ${baseUrlEnv}` : ''}`, { cause });
}

function createUnauthorizedFault({ baseUrl, env: [variable] }: Provider): Fault {
  return new Fault(
    'no_credentials',
    `The server at ${redactUrl(baseUrl)} requires a key${variable ? `: set ${variable}` : ''}`,
  );
}

async function fetchOllamaModels(requestJson: RequestJson, listed: readonly unknown[]): Promise<ServerModel[]> {
  const ids = filterRecords(listed).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  const models = await Promise.all(
    ids.map(async (id, index): Promise<ServerModel | undefined> => {
      if (index >= MAX_DETAIL_REQUESTS) return { id };
      const details = await requestJson('/api/show', { root: true, body: { model: id } }).catch(() => undefined);
      const capabilities = Array.isArray(details?.capabilities) ? details.capabilities : undefined;
      if (capabilities && !capabilities.includes('completion')) return undefined;
      const info = isRecord(details?.model_info) ? details.model_info : {};
      const length = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
      return {
        id,
        contextWindow: readPositiveInteger(length),
        hasVision: capabilities?.includes('vision'),
        hasThinking: capabilities?.includes('thinking'),
      };
    }),
  );
  return models.filter((model) => model !== undefined);
}

function toLmStudioModels(entry: Record<string, unknown>): ServerModel[] {
  if (typeof entry.id !== 'string' || entry.type === 'embeddings') return [];
  const contextWindow =
    readPositiveInteger(entry.loaded_context_length) ?? readPositiveInteger(entry.max_context_length);
  return [{ id: entry.id, contextWindow, hasVision: entry.type === 'vlm' }];
}

/** vLLM reports `max_model_len`; llama.cpp reports the loaded context size under /props. */
async function fetchOpenAiList({ baseUrl, listFormat }: Provider, requestJson: RequestJson): Promise<ServerModel[]> {
  const [listed, props] = await Promise.all([
    requestJson('/models'),
    listFormat === 'llamacpp' ? requestJson('/props', { root: true }) : undefined,
  ]);
  if (!Array.isArray(listed?.data)) {
    const address = redactUrl(baseUrl);
    throw new Fault(
      'no_model',
      `The server at ${address} answers, but does not list its models under ${address}/models`,
    );
  }
  const settings = isRecord(props?.default_generation_settings) ? props.default_generation_settings : {};
  const hasVision = isRecord(props?.modalities) && props.modalities.vision === true;
  return filterRecords(listed.data).flatMap(({ id, max_model_len: maxModelLength, meta }): ServerModel[] => {
    if (typeof id !== 'string') return [];
    const trainedLength = isRecord(meta) ? readPositiveInteger(meta.n_ctx_train) : undefined;
    return [
      {
        id,
        contextWindow: readPositiveInteger(maxModelLength) ?? readPositiveInteger(settings.n_ctx) ?? trainedLength,
        hasVision,
      },
    ];
  });
}

function toModel(
  { id: provider, api, baseUrl }: Provider,
  { id, contextWindow, hasVision, hasThinking }: ServerModel,
): Model {
  const window = contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl,
    reasoning: hasThinking === true,
    input: hasVision ? ['text', 'image'] : ['text'],
    contextWindow: window,
    maxTokens: Math.min(DEFAULT_MAX_TOKENS, window),
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

function filterRecords(list: readonly unknown[]): Record<string, unknown>[] {
  return list.filter(isRecord);
}

function readPositiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
