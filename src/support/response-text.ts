// Reads the body of an HTTP response up to a size limit.
import { Fault } from '../base/index.ts';
import type { HttpResponse } from '../contracts/index.ts';

const MIB = 1024 * 1024;
/** Bytes of a JSON response: a list of models, a token. */
const MAX_JSON_BYTES = 8 * MIB;

/** The parsed body. Throws a Fault when it is larger than the limit, and a SyntaxError when it is not JSON. */
export async function readJson(response: Pick<HttpResponse, 'body'>): Promise<unknown> {
  return JSON.parse(await readText(response));
}

/** The body. Throws a Fault when it is larger than the limit. */
export async function readText({ body }: Pick<HttpResponse, 'body'>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const bytes of body ?? []) {
    size += bytes.length;
    if (size > MAX_JSON_BYTES) throw new Fault('refused', `The response is larger than ${MAX_JSON_BYTES / MIB} MiB`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
