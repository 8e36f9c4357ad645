// Declares the metrics that the events of sessions change.
import type { Counter, Histogram, MetricRegistry } from './metric-registry.ts';

const RUN_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const TOOL_BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];
const FIRST_DELTA_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60];
export interface SessionMetrics {
  readonly runsStarted: Counter;
  readonly runsEnded: Counter<readonly ['outcome']>;
  readonly runSeconds: Histogram<readonly ['outcome']>;
  readonly turns: Counter;
  readonly requests: Counter<readonly ['provider', 'model', 'outcome']>;
  readonly retries: Counter;
  readonly retriesEnded: Counter<readonly ['outcome']>;
  readonly firstDeltaSeconds: Histogram<readonly ['provider', 'model']>;
  readonly tokens: Counter<readonly ['provider', 'model', 'kind']>;
  readonly cost: Counter<readonly ['provider', 'model']>;
  readonly toolCalls: Counter<readonly ['tool', 'outcome']>;
  readonly toolSeconds: Histogram<readonly ['tool']>;
  readonly compactions: Counter<readonly ['reason', 'outcome']>;
  readonly subagentsStarted: Counter;
  readonly subagentsEnded: Counter<readonly ['outcome']>;
}

export function declareSessionMetrics(registry: MetricRegistry): SessionMetrics {
  return {
    runsStarted: registry.counter({ name: 'parley_runs_started_total', help: 'Runs that have started.' }),
    runsEnded: registry.counter({
      name: 'parley_runs_ended_total',
      help: 'Runs that have ended. The outcome is completed, aborted, error, or continued if another run follows automatically.',
      labels: ['outcome'],
    }),
    runSeconds: registry.histogram({
      name: 'parley_run_duration_seconds',
      help: 'Time from the start to the end of a run.',
      labels: ['outcome'],
      buckets: RUN_BUCKETS,
    }),
    ...declareModelMetrics(registry),
    toolCalls: registry.counter({
      name: 'parley_tool_calls_total',
      help: 'Tool calls that have ended, by tool and by success or error.',
      labels: ['tool', 'outcome'],
    }),
    toolSeconds: registry.histogram({
      name: 'parley_tool_call_duration_seconds',
      help: 'Time from the start to the end of a tool call, approvals included.',
      labels: ['tool'],
      buckets: TOOL_BUCKETS,
    }),
    compactions: registry.counter({
      name: 'parley_compactions_total',
      help: 'Compactions that have ended. The reason is manual, threshold or overflow, the outcome completed, aborted or failed.',
      labels: ['reason', 'outcome'],
    }),
    subagentsStarted: registry.counter({
      name: 'parley_subagents_started_total',
      help: 'Subagents that have started.',
    }),
    subagentsEnded: registry.counter({
      name: 'parley_subagents_ended_total',
      help: 'Subagents that have ended: completed, failed or aborted.',
      labels: ['outcome'],
    }),
  };
}

type ModelMetrics = Pick<
  SessionMetrics,
  'turns' | 'requests' | 'retries' | 'retriesEnded' | 'firstDeltaSeconds' | 'tokens' | 'cost'
>;

function declareModelMetrics(registry: MetricRegistry): ModelMetrics {
  return {
    turns: registry.counter({ name: 'parley_turns_total', help: 'Turns of runs and subagents.' }),
    requests: registry.counter({
      name: 'parley_model_requests_total',
      help: 'Answers of models. The outcome is stop, length, tool_use, aborted or error.',
      labels: ['provider', 'model', 'outcome'],
    }),
    retries: registry.counter({
      name: 'parley_model_retries_total',
      help: 'Automatic retries after temporary errors of providers.',
    }),
    retriesEnded: registry.counter({
      name: 'parley_model_retries_ended_total',
      help: 'Series of retries that have ended, by success or failure.',
      labels: ['outcome'],
    }),
    firstDeltaSeconds: registry.histogram({
      name: 'parley_first_delta_seconds',
      help: 'Time from a model request to the first delta of its answer.',
      labels: ['provider', 'model'],
      buckets: FIRST_DELTA_BUCKETS,
    }),
    tokens: registry.counter({
      name: 'parley_tokens_total',
      help: 'Tokens of model requests, compactions included. The kind is input, output, cache_read or cache_write.',
      labels: ['provider', 'model', 'kind'],
    }),
    cost: registry.counter({
      name: 'parley_cost_usd_total',
      help: 'Cost of model requests in US dollars, at the prices that are known for the model.',
      labels: ['provider', 'model'],
    }),
  };
}
