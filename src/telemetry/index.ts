// The public interface of the module: metrics of a server.
export { createMetrics, type Metrics } from './metrics.ts';
export type { ProcessReading, ProcessStatistics } from './process-statistics.ts';
