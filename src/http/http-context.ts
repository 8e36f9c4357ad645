// The context of a request, and reading its body as JSON with a limit.
import { Fault, getErrorMessage, isRecord } from '../base/index.ts';
import type { Caller } from './backend.ts';
import type { Context, Hono } from './vendor/hono.ts';

interface HttpTypes {
  Bindings: RequestBindings;
  /** `isReadInParts`: only a part of the response is in memory. */
  Variables: { caller: Caller; isReadInParts?: boolean };
}

/** What the server passes on with a request. */
export interface RequestBindings {
  readonly remoteAddress: string;
  /** Resolves when the response is sent, or the connection has ended. */
  readonly sent: Promise<void>;
}

export type HttpContext = Context<HttpTypes>;
export type HttpRouter = Hono<HttpTypes>;

/** An empty body is `undefined`. */
export async function readBody(context: HttpContext, maxBytes: number): Promise<unknown> {
  const text = await readText(context, maxBytes);
  if (text.trim() === '') return undefined;
  checkMediaType(context);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Fault('parse', `The body is not JSON: ${getErrorMessage(thrown)}`);
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:; *charset="?utf-8"?)?$/i;
/** What curl sends with `-d`. Forms of other sites can send it, too, but no token. */
const FORM_TYPE = 'application/x-www-form-urlencoded';

function checkMediaType(context: HttpContext): void {
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw createMediaTypeFault(`The content encoding ${JSON.stringify(encoding)}`);
  const type = context.req.header('content-type') ?? 'application/json';
  const hasToken = context.req.header('authorization') !== undefined;
  if (!JSON_TYPE.test(type) && !(hasToken && type.toLowerCase() === FORM_TYPE))
    throw createMediaTypeFault(`The content type ${JSON.stringify(type)}`);
}

function createMediaTypeFault(value: string): Fault {
  const message = `${value} is not supported. Send JSON with the header Content-Type: application/json.`;
  return new Fault('refused', message, { details: { reason: 'unsupported_media_type' } });
}

/** The parameters of a command: an object, or an empty body. */
export async function readParams(context: HttpContext, maxBytes: number): Promise<Record<string, unknown>> {
  const body = await readBody(context, maxBytes);
  if (body === undefined) return {};
  if (isRecord(body)) return body;
  throw new Fault('invalid_params', 'The body must be a JSON object.');
}

/** Stops reading at the limit, also when the length is not declared. */
async function readText(context: HttpContext, maxBytes: number): Promise<string> {
  if (Number(context.req.header('content-length') ?? 0) > maxBytes) throw createTooLargeFault(maxBytes);
  const reader = context.req.raw.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    bytes += read.value.length;
    if (bytes > maxBytes) {
      await reader?.cancel();
      throw createTooLargeFault(maxBytes);
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}

function createTooLargeFault(maxBytes: number): Fault {
  return new Fault('refused', `The body is larger than ${maxBytes} bytes.`, { details: { reason: 'too_large' } });
}
