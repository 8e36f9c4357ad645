// The port for figures of this process, and the metrics that show them. The names are those of the usual Prometheus client for Node.
import { formatComment, formatSample } from './prometheus-text.ts';

/** Seconds. */
export interface EventLoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface ProcessReading {
  /** Seconds since 1970. */
  readonly startTimeSeconds: number;
  readonly cpuUserSeconds: number;
  readonly cpuSystemSeconds: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly externalBytes: number;
  /** Timers, sockets and other resources that keep the process alive; absent where the runtime does not count them. */
  readonly activeResources?: number | undefined;
  /** Since the last reading; absent where the runtime does not measure it. */
  readonly eventLoopDelay?: EventLoopDelay | undefined;
}

export interface ProcessStatistics {
  read(): ProcessReading;
  /** Stops measuring. */
  close(): void;
}

export interface ProcessMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  getValue(reading: ProcessReading): number | undefined;
}

export const PROCESS_METRICS: readonly ProcessMetric[] = [
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'Start of the process, in seconds since 1970.',
    getValue: ({ startTimeSeconds }) => startTimeSeconds,
  },
  {
    name: 'process_cpu_user_seconds_total',
    type: 'counter',
    help: 'CPU time spent in the program.',
    getValue: ({ cpuUserSeconds }) => cpuUserSeconds,
  },
  {
    name: 'process_cpu_system_seconds_total',
    type: 'counter',
    help: 'CPU time spent in the kernel for the program.',
    getValue: ({ cpuSystemSeconds }) => cpuSystemSeconds,
  },
  {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'The sum of both CPU times.',
    getValue: ({ cpuUserSeconds, cpuSystemSeconds }) => cpuUserSeconds + cpuSystemSeconds,
  },
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory of the process.',
    getValue: ({ residentBytes }) => residentBytes,
  },
  {
    name: 'nodejs_heap_size_used_bytes',
    type: 'gauge',
    help: 'Used part of the JavaScript heap.',
    getValue: ({ heapUsedBytes }) => heapUsedBytes,
  },
  {
    name: 'nodejs_heap_size_total_bytes',
    type: 'gauge',
    help: 'Size of the JavaScript heap.',
    getValue: ({ heapTotalBytes }) => heapTotalBytes,
  },
  {
    name: 'nodejs_external_memory_bytes',
    type: 'gauge',
    help: 'Memory of buffers and native objects outside the heap.',
    getValue: ({ externalBytes }) => externalBytes,
  },
  {
    name: 'nodejs_active_resources',
    type: 'gauge',
    help: 'Timers, sockets and other resources that keep the process alive.',
    getValue: ({ activeResources }) => activeResources,
  },
  {
    name: 'nodejs_eventloop_lag_p50_seconds',
    type: 'gauge',
    help: 'Median delay of the event loop since the last request of the metrics.',
    getValue: ({ eventLoopDelay }) => eventLoopDelay?.p50,
  },
  {
    name: 'nodejs_eventloop_lag_p99_seconds',
    type: 'gauge',
    help: '99th percentile of the delay of the event loop since the last request of the metrics.',
    getValue: ({ eventLoopDelay }) => eventLoopDelay?.p99,
  },
  {
    name: 'nodejs_eventloop_lag_max_seconds',
    type: 'gauge',
    help: 'Largest delay of the event loop since the last request of the metrics.',
    getValue: ({ eventLoopDelay }) => eventLoopDelay?.max,
  },
];

/** A figure that the runtime does not have is left out. */
export function renderProcessMetrics(reading: ProcessReading): string {
  return PROCESS_METRICS.flatMap(({ name, type, help, getValue }) => {
    const value = getValue(reading);
    if (value === undefined) return [];
    return [formatComment('HELP', name, help), formatComment('TYPE', name, type), formatSample(name, {}, value)];
  }).join('');
}
