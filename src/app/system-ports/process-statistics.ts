// Reads memory, CPU time and event-loop delay of this process. Loaded by the server only.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessStatistics } from '../../telemetry/index.ts';

/** How often the delay is measured. The histogram holds the time between two measurements, which contains this interval. */
const RESOLUTION_MS = 10;

/** Measures the event loop from now on. The timer of the measurement does not keep the process alive. */
export function createProcessStatistics(): ProcessStatistics {
  const histogram = startHistogram();
  const startTimeSeconds = Date.now() / 1000 - process.uptime();
  return {
    read() {
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const eventLoopDelay = histogram && readDelay(histogram);
      return {
        startTimeSeconds,
        cpuUserSeconds: user / 1e6,
        cpuSystemSeconds: system / 1e6,
        residentBytes: rss,
        heapUsedBytes: heapUsed,
        heapTotalBytes: heapTotal,
        externalBytes: external,
        activeResources: process.getActiveResourcesInfo?.().length,
        eventLoopDelay,
      };
    },
    close: () => void histogram?.disable(),
  };
}

/** `undefined` on a runtime that cannot measure it. */
function startHistogram(): IntervalHistogram | undefined {
  try {
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    return histogram;
  } catch {
    return undefined;
  }
}

function readDelay(histogram: IntervalHistogram) {
  const delay = {
    p50: toSeconds(histogram.percentile(50)),
    p99: toSeconds(histogram.percentile(99)),
    max: toSeconds(histogram.max),
  };
  histogram.reset();
  return delay;
}

function toSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds - RESOLUTION_MS * 1e6) / 1e9;
}
