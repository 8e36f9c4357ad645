// First floor, core: the facade. Puts the facets of one session together and answers for its state.
import type { AgentSession, EventListener } from '../../contracts/index.ts';
import type { SessionState } from '../../protocol/index.ts';
import { Asking } from './asking.ts';
import { HistoryFacet } from './history.ts';
import { ModelFacet } from './models.ts';
import { NamingFacet } from './naming.ts';
import type { SessionOptions } from './options.ts';
import { QueueFacet } from './queues.ts';
import { RetryFacet } from './retry.ts';
import { RunFacet } from './runs.ts';
import { Seat } from './seat.ts';
import { ShellFacet } from './shell.ts';

export function createSession(options: SessionOptions): AgentSession {
  const seat = new Seat(options);
  const models = new ModelFacet(seat);
  const naming = new NamingFacet(seat);
  const queues = new QueueFacet(seat);
  const asking = new Asking(seat, models);
  const shell: ShellFacet = new ShellFacet(seat, () => runs.isRunning);
  const retry = new RetryFacet(seat);
  const runs = new RunFacet({ seat, queues, shell, asking, retry });
  const history = new HistoryFacet(seat, {
    held: () => shell.held,
    leave: () => runs.abort(),
    arrive() {
      queues.reset();
      shell.reset();
      naming.reset();
      asking.reset();
      models.note();
    },
  });

  const state = (): SessionState => ({
    model: models.current,
    thinkingLevel: models.thinkingLevel,
    isStreaming: runs.isRunning,
    isCompacting: false,
    steeringMode: queues.steeringMode,
    followUpMode: queues.followUpMode,
    interruptMode: queues.interruptMode,
    ...(seat.conversation.file === undefined ? {} : { sessionFile: seat.conversation.file }),
    sessionId: seat.conversation.header.id,
    ...(naming.name === undefined ? {} : { sessionName: naming.name }),
    autoCompactionEnabled: options.autoCompaction,
    messageCount: history.count,
    queuedMessageCount: queues.count,
    pendingMessageCount: queues.count,
  });

  return {
    get id() {
      return seat.conversation.header.id;
    },
    get file() {
      return seat.conversation.file;
    },
    cwd: options.cwd,
    runs,
    queues,
    models,
    retry,
    history,
    shell,
    naming,
    state,
    subscribe: (listener: EventListener) => seat.broadcast.subscribe(listener),
    async close() {
      shell.abort();
      await runs.abort();
      await seat.conversation.close();
      await seat.artifacts.close();
    },
  };
}
