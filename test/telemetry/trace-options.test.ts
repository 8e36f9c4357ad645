// The OpenTelemetry variables of the environment.
import { describe, expect, test } from 'vitest';
import { readTraceOptions } from '../../src/telemetry/traces/trace-options.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

function read(env: Record<string, string>) {
  const problems: string[] = [];
  return { options: readTraceOptions(env, (problem) => problems.push(problem)), problems };
}

describe('whether traces are exported', () => {
  test.each([
    [ENDPOINT],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/x' }],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin,otlp' }],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }],
  ])('%j: yes', (env) => {
    expect(read(env).options?.otlp?.url).toMatch(/^http/);
  });

  test.each([
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, []],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: ' TRUE ' }, []],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, []],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin' }, [expect.stringContaining('zipkin is not supported')]],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, [expect.stringContaining('grpc is not supported')]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, [expect.stringContaining('not an http or https URL')]],
  ])('%j: no', (env, problems) => {
    expect(read(env)).toEqual({ options: undefined, problems });
  });

  test('the exporter console has no collector', () => {
    expect(read({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'console' }).options).toMatchObject({ otlp: undefined });
  });
});

describe('the collector', () => {
  test.each([
    [{}, 'http://localhost:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a.example/otlp/' }, 'https://a.example/otlp/v1/traces'],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/own' }, 'http://b/own'],
  ])('%j', (env, url) => {
    expect(read({ OTEL_TRACES_EXPORTER: 'otlp', ...env }).options?.otlp?.url).toBe(url);
  });

  test('headers are decoded, those for traces win, incomplete parts are ignored', () => {
    const headers = read({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team = a%2Cb ,broken,=x,empty=,bad=%zz',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=other',
    }).options?.otlp?.headers;
    expect(headers).toEqual({ authorization: 'Bearer abc', 'x-team': 'other', bad: '%zz' });
  });

  test('protocol, timeout and compression', () => {
    const defaults = { protocol: 'http/protobuf', timeoutMs: 10_000, isCompressed: false };
    expect(read(ENDPOINT).options?.otlp).toMatchObject(defaults);
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    };
    expect(read(env).options?.otlp).toMatchObject({ protocol: 'http/json', timeoutMs: 2500, isCompressed: true });
    expect(read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' }).options?.otlp).toMatchObject(defaults);
  });
});

test('the resource has the name of the service and the attributes of the user', () => {
  expect(read(ENDPOINT).options?.resourceAttributes).toEqual({ 'service.name': 'parley' });
  const env = { ...ENDPOINT, OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,deployment.environment=test' };
  const expected = { 'service.name': 'a', 'deployment.environment': 'test' };
  expect(read(env).options?.resourceAttributes).toEqual(expected);
  expect(read({ ...env, OTEL_SERVICE_NAME: 'b' }).options?.resourceAttributes).toEqual({
    ...expected,
    'service.name': 'b',
  });
});

test('the parent of all traces', () => {
  const parse = (TRACEPARENT: string) => read({ ...ENDPOINT, TRACEPARENT }).options?.parent;
  const parent = { traceId: TRACE, spanId: SPAN, isRemote: true };
  expect(parse(`00-${TRACE}-${SPAN}-01`)).toEqual({ ...parent, traceFlags: 1 });
  expect(parse(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...parent, traceFlags: 0 });
  expect(parse(`01-${TRACE}-${SPAN}-03-more`)).toEqual({ ...parent, traceFlags: 1 });
  for (const text of [
    'x',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ])
    expect(parse(text)).toBeUndefined();
});

test('content is recorded only on request', () => {
  const name = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
  const shouldRecord = (value: string) => read({ ...ENDPOINT, [name]: value }).options?.shouldRecordContent;
  expect([shouldRecord('true'), shouldRecord('false'), shouldRecord(''), shouldRecord('1')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(read(ENDPOINT).options?.shouldRecordContent).toBe(false);
});
