// The metrics of a server: sessions, runs, models, tools, calls, clients and the process, for Prometheus.
import type { AgentSession, Clock } from '../contracts/index.ts';
import { type MetricDescription, MetricRegistry } from './metric-registry.ts';
import { PROCESS_METRICS, type ProcessStatistics, renderProcessMetrics } from './process-statistics.ts';
import { PROMETHEUS_CONTENT_TYPE } from './prometheus-text.ts';
import { createSessionCounter } from './session-counter.ts';
import { declareSessionMetrics } from './session-metrics.ts';

/** How many values each label may have. Names of models, tools and commands can come from a client or a model, without end. */
const LABEL_LIMITS = {
  provider: 50,
  model: 50,
  tool: 100,
  command: 200,
  dialect: 10,
  direction: 2,
  kind: 4,
  outcome: 30,
  reason: 30,
  version: 1,
  runtime: 1,
};

const CALL_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

export interface MetricsOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The version of Parley. */
  readonly version: string;
  /** Absent: no figures of the process. */
  readonly processStatistics?: ProcessStatistics | undefined;
  /** The name and version of the runtime, such as `node 22.1.0`. */
  readonly runtime?: string | undefined;
}

export interface Metrics {
  /** Counts the events of an open session. Returns the function to call when the session is closed. */
  observeSession(session: Pick<AgentSession, 'subscribe' | 'models'>): () => void;
  /** A call that has been answered. `outcome` is `success` or the code of the fault. */
  countCall(command: string, outcome: string, seconds: number): void;
  setClients(dialect: string, count: number): void;
  /** Connections and calls that this node relays to another one (out), or answers for another one (in). */
  setRelayed(direction: 'in' | 'out', count: number): void;
  /** `in`: from a client. Allocates nothing. */
  countFrame(dialect: string, direction: 'in' | 'out', bytes: number): void;
  /** A client whose connection the server has closed, for example because it reads too slowly. */
  countDroppedClient(reason: string): void;
  /** A request or connection that was not allowed: no token, wrong origin, rate limit. */
  countRefused(reason: string): void;
  /** The answer of a user to the question whether a tool call may run. */
  countApproval(outcome: string): void;
  /** All metrics with their types and labels, in the order of `render`. */
  describe(): MetricDescription[];
  /** The Prometheus text format 0.0.4. */
  render(): string;
  /** The media type of that text. */
  readonly contentType: string;
  /** Ends the measurements of the process. */
  close(): void;
}

export function createMetrics({ clock, version, processStatistics, runtime = '' }: MetricsOptions): Metrics {
  const registry = new MetricRegistry(LABEL_LIMITS);
  const build = registry.gauge({
    name: 'parley_build_info',
    help: 'Always 1. The labels have the version of Parley and of the runtime.',
    labels: ['version', 'runtime'],
  });
  build.set(1, version, runtime);
  const sessions = registry.gauge({ name: 'parley_sessions_open', help: 'Open sessions.' });
  const sessionMetrics = declareSessionMetrics(registry);
  let openSessions = 0;
  const changeOpenSessions = (difference: number) => {
    openSessions += difference;
    sessions.set(openSessions);
  };
  return {
    ...createServerMethods(registry),
    observeSession(session) {
      const stop = session.subscribe(createSessionCounter(sessionMetrics, clock, session.models));
      changeOpenSessions(1);
      let isClosed = false;
      return () => {
        if (isClosed) return;
        isClosed = true;
        stop();
        changeOpenSessions(-1);
      };
    },
    describe: () => [
      ...registry.describe(),
      ...(processStatistics ? PROCESS_METRICS.map(({ name, type, help }) => ({ name, type, help, labels: [] })) : []),
    ],
    render: () => registry.render() + (processStatistics ? renderProcessMetrics(processStatistics.read()) : ''),
    contentType: PROMETHEUS_CONTENT_TYPE,
    close: () => processStatistics?.close(),
  };
}

type ServerMethods = Omit<Metrics, 'observeSession' | 'describe' | 'render' | 'contentType' | 'close'>;

function createServerMethods(registry: MetricRegistry): ServerMethods {
  const calls = registry.counter({
    name: 'parley_calls_total',
    help: 'Calls of commands that were answered. The outcome is success or the code of the failure.',
    labels: ['command', 'outcome'],
  });
  const callSeconds = registry.histogram({
    name: 'parley_call_duration_seconds',
    help: 'Time from a call to its reply.',
    labels: ['command'],
    buckets: CALL_BUCKETS,
  });
  const clients = registry.gauge({ name: 'parley_clients', help: 'Connected clients.', labels: ['dialect'] });
  const relayed = registry.gauge({
    name: 'parley_relayed',
    help: 'Connections and calls that another node answers (out), and those of other nodes that this one answers (in).',
    labels: ['direction'],
  });
  const frames = registry.counter({
    name: 'parley_frames_total',
    help: 'Frames from clients (in) and to clients (out).',
    labels: ['dialect', 'direction'],
  });
  const frameBytes = registry.counter({
    name: 'parley_frame_bytes_total',
    help: 'Bytes of these frames.',
    labels: ['dialect', 'direction'],
  });
  const dropped = registry.counter({
    name: 'parley_clients_dropped_total',
    help: 'Connections that the server has closed, by reason.',
    labels: ['reason'],
  });
  const refused = registry.counter({
    name: 'parley_requests_refused_total',
    help: 'Requests and connections that were not allowed, by reason.',
    labels: ['reason'],
  });
  const approvals = registry.counter({
    name: 'parley_approvals_total',
    help: 'Answers to the question whether a tool call may run.',
    labels: ['outcome'],
  });
  return {
    countCall(command, outcome, seconds) {
      calls.add(1, command, outcome);
      callSeconds.observe(seconds, command);
    },
    setClients: (dialect, count) => clients.set(count, dialect),
    setRelayed: (direction, count) => relayed.set(count, direction),
    countFrame(dialect, direction, bytes) {
      frames.add(1, dialect, direction);
      frameBytes.add(bytes, dialect, direction);
    },
    countDroppedClient: (reason) => dropped.add(1, reason),
    countRefused: (reason) => refused.add(1, reason),
    countApproval: (outcome) => approvals.add(1, outcome),
  };
}
