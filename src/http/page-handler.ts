// Answers requests for files of the page without the router, so that the page is served before the code of the API is loaded.
import type { HttpBackend, PageFile } from './backend.ts';
import type { RequestFacts, RequestGuard } from './request-guard.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

export interface PageResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

export interface PageHandlerOptions {
  readonly backend: Pick<HttpBackend, 'readPageFile'>;
  readonly guard: RequestGuard;
}

/** Names of files without a folder. Those of assets are checked where they are read. */
const PATHS: Readonly<Record<string, string>> = {
  '/': 'index.html',
  '/docs': 'docs.html',
  '/favicon.svg': 'favicon.svg',
};

/** `undefined` when the router has to answer: other paths, logins, refused requests, and requests of pages of other origins. */
export async function answerPageRequest(
  { backend, guard }: PageHandlerOptions,
  facts: RequestFacts,
): Promise<PageResponse | undefined> {
  const file = findPageFile(facts);
  if (file === undefined || guard.check(facts) || guard.getListedOrigin(facts) !== undefined) return undefined;
  const found = await backend.readPageFile(file);
  if (!found) return undefined;
  const headers = { ...SECURITY_HEADERS, ...createPageHeaders(found), 'content-length': String(found.bytes.length) };
  return { headers, bytes: found.bytes };
}

function findPageFile({ method, path, query }: RequestFacts): string | undefined {
  if (method !== 'GET' || query.has('token') || query.has('code')) return undefined;
  if (path.startsWith('/assets/')) return path.slice(1);
  return Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
}

export function createPageHeaders({ contentType, isImmutable }: PageFile): Record<string, string> {
  const cacheControl = isImmutable ? 'public, max-age=31536000, immutable' : 'no-store';
  return { 'content-type': contentType, 'cache-control': cacheControl };
}
