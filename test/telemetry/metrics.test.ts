// The metrics that a server sets itself, and those of the process.
import { expect, test } from 'vitest';
import { createMetrics, type Metrics, type ProcessReading } from '../../src/telemetry/index.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { parsePrometheus, readSample } from '../support/prometheus.ts';

const READING: ProcessReading = {
  ...{ startTimeSeconds: 1_700_000_000.5, cpuUserSeconds: 2, cpuSystemSeconds: 0.5 },
  ...{ residentBytes: 5e7, heapUsedBytes: 1e7, heapTotalBytes: 2e7, externalBytes: 3e6 },
  ...{ activeResources: 7, eventLoopDelay: { p50: 0.001, p99: 0.02, max: 0.3 } },
};

function create(reading: ProcessReading = READING): Metrics {
  return createMetrics({
    clock: createFakeClock(),
    version: '1.2.3',
    runtime: 'node 20.1.0',
    processStatistics: { read: () => reading, close: () => {} },
  });
}

test('calls, clients, frames, refusals and approvals', () => {
  const metrics = create();
  metrics.countCall('get_state', 'success', 0.002);
  metrics.countCall('get_state', 'success', 0.2);
  metrics.countCall('bash', 'refused', 1);
  metrics.setClients('omp', 3);
  metrics.setClients('omp', 2);
  metrics.countFrame('omp', 'out', 100);
  metrics.countFrame('omp', 'out', 50);
  metrics.countFrame('omp', 'in', 7);
  metrics.countDroppedClient('reads too slowly');
  metrics.countRefused('unauthorized');
  metrics.countApproval('allow');
  const read = (name: string, labels: Record<string, string>) => readSample(metrics.render(), name, labels);
  expect(read('parley_calls_total', { command: 'get_state', outcome: 'success' })).toBe(2);
  expect(read('parley_calls_total', { command: 'bash', outcome: 'refused' })).toBe(1);
  expect(read('parley_call_duration_seconds_bucket', { command: 'get_state', le: '0.005' })).toBe(1);
  expect(read('parley_clients', { dialect: 'omp' })).toBe(2);
  expect(read('parley_frames_total', { dialect: 'omp', direction: 'out' })).toBe(2);
  expect(read('parley_frame_bytes_total', { dialect: 'omp', direction: 'out' })).toBe(150);
  expect(read('parley_frame_bytes_total', { dialect: 'omp', direction: 'in' })).toBe(7);
  expect(read('parley_clients_dropped_total', { reason: 'reads too slowly' })).toBe(1);
  expect(read('parley_requests_refused_total', { reason: 'unauthorized' })).toBe(1);
  expect(read('parley_approvals_total', { outcome: 'allow' })).toBe(1);
});

test('the process: memory, CPU time, event loop, version', () => {
  const metrics = create();
  const text = metrics.render();
  expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(readSample(text, 'parley_build_info', { version: '1.2.3', runtime: 'node 20.1.0' })).toBe(1);
  expect(readSample(text, 'process_start_time_seconds')).toBe(1_700_000_000.5);
  expect(readSample(text, 'process_cpu_seconds_total')).toBe(2.5);
  expect(readSample(text, 'process_resident_memory_bytes')).toBe(5e7);
  expect(readSample(text, 'nodejs_heap_size_used_bytes')).toBe(1e7);
  expect(readSample(text, 'nodejs_active_resources')).toBe(7);
  expect(readSample(text, 'nodejs_eventloop_lag_p50_seconds')).toBe(0.001);
  expect(readSample(text, 'nodejs_eventloop_lag_p99_seconds')).toBe(0.02);
  expect(readSample(text, 'nodejs_eventloop_lag_max_seconds')).toBe(0.3);
});

test('figures that the runtime does not have are left out', () => {
  const { activeResources: _, eventLoopDelay: __, ...reading } = READING;
  const names = [...parsePrometheus(create(reading).render()).keys()];
  expect(names).toContain('process_cpu_seconds_total');
  expect(names.filter((name) => /eventloop|active/.test(name))).toEqual([]);
});

test('a thousand models and tools do not make a thousand series', () => {
  const metrics = create();
  for (let count = 0; count < 1000; count += 1) metrics.countCall(`command_${count}`, `fault_${count}`, 0.1);
  const calls = parsePrometheus(metrics.render()).get('parley_calls_total')?.samples ?? [];
  expect(new Set(calls.map(({ labels }) => labels.command)).size).toBe(201);
  expect(new Set(calls.map(({ labels }) => labels.outcome)).size).toBe(31);
  expect(calls.reduce((sum, { value }) => sum + value, 0)).toBe(1000);
});

test('the description lists what is rendered, in the same order', () => {
  const metrics = create();
  const parsed = [...parsePrometheus(metrics.render()).values()];
  expect(parsed.map(({ name, type }) => ({ name, type }))).toEqual(
    metrics.describe().map(({ name, type }) => ({ name, type })),
  );
});
