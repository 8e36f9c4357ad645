// An OTLP/HTTP collector on loopback. Decodes requests in JSON and in protobuf.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { startHttpServer } from './http-server.ts';

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  /** 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface CollectedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Not compressed. */
  readonly body: Buffer;
}

export interface Collector {
  readonly url: string;
  readonly requests: readonly CollectedRequest[];
  /** All spans of requests in JSON, in the order of arrival. */
  listSpans(): CollectedSpan[];
  /** Attributes of the resource in the first request. */
  readResource(): Readonly<Record<string, unknown>>;
}

type Reply = (response: ServerResponse, count: number) => void;

/** `reply` gets the number of the request, from 1. Default: status 200. */
export async function startCollector(reply: Reply = (response) => response.end('{}')): Promise<Collector> {
  const requests: CollectedRequest[] = [];
  const { url } = await startHttpServer(async (request, response) => {
    const bytes = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    reply(response, requests.length);
  });
  const listResources = () =>
    requests.flatMap(({ body }) => (JSON.parse(body.toString()) as OtlpRequest).resourceSpans);
  return {
    url,
    requests,
    listSpans: () => listResources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(toSpan))),
    readResource: () => toRecord(listResources()[0]?.resource.attributes),
  };
}

/** Waits for a request and never replies. */
export const NO_REPLY: Reply = () => {};

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes?: readonly OtlpAttribute[];
  readonly events?: readonly { name: string; attributes?: readonly OtlpAttribute[] }[];
  readonly status?: { code?: number; message?: string };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

function toSpan(span: OtlpSpan): CollectedSpan {
  const { name, traceId, spanId, parentSpanId = '', kind, events = [], status = {} } = span;
  return {
    ...{ name, traceId, spanId, parentSpanId, kind, status },
    attributes: toRecord(span.attributes),
    events: events.map((event) => ({ name: event.name, attributes: toRecord(event.attributes) })),
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
  };
}

function toRecord(attributes: readonly OtlpAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toPlainValue(value)]));
}

function toPlainValue(value: Readonly<Record<string, unknown>>): unknown {
  const [kind = '', plain] = Object.entries(value)[0] ?? [];
  if (kind === 'intValue') return Number(plain);
  if (kind !== 'arrayValue') return plain;
  return (plain as { values: Readonly<Record<string, unknown>>[] }).values.map(toPlainValue);
}

/**
 * The fields of a protobuf message by number. A field with a length is returned as bytes: the caller knows whether it is a text or a
 * message.
 */
export function decodeProtobuf(bytes: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const readVarint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const [number, wireType] = [key >> 3, key & 7];
    const value =
      wireType === 0 ? readVarint() : wireType === 1 ? take(8) : wireType === 5 ? take(4) : take(Number(readVarint()));
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

/** The names of the spans of a request in protobuf: ExportTraceServiceRequest → ResourceSpans → ScopeSpans → Span. */
export function readProtobufSpanNames(body: Buffer): string[] {
  const inside = (messages: readonly (Buffer | bigint)[], field: number) =>
    messages.flatMap((message) => decodeProtobuf(message as Buffer).get(field) ?? []);
  const spans = inside(inside(inside([body], 1), 2), 2);
  return inside(spans, 5).map(String);
}
