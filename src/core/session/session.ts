// First floor, core: the facade. Puts the facets of one session together and answers for its state.
import type { AgentSession, EventListener, ModelContext } from '../../contracts/index.ts';
import type { SessionState } from '../../protocol/index.ts';
import { contextTokens } from '../compaction/tokens.ts';
import { Asking } from './asking.ts';
import { CompactionFacet } from './compaction.ts';
import { Entrance } from './entrance.ts';
import { EntryFacet } from './entries.ts';
import { HistoryFacet } from './history.ts';
import { type Limits, UNLIMITED } from './limits.ts';
import { Memory } from './memory.ts';
import { ModelFacet } from './models.ts';
import { NamingFacet } from './naming.ts';
import type { SessionOptions } from './options.ts';
import { QueueFacet } from './queues.ts';
import { restored } from './restored.ts';
import { RetryFacet } from './retry.ts';
import { RuleFacet } from './rules.ts';
import { RunFacet } from './runs.ts';
import { Seat } from './seat.ts';
import { ShellFacet } from './shell.ts';
import { SubagentFacet } from './subagents.ts';
import { TodoFacet } from './todos.ts';
import { ToolFacet } from './tool-choice.ts';

const FAREWELL_MS = 1000;

export async function createSession(options: SessionOptions): Promise<AgentSession> {
  const seat = new Seat(options);
  const models = new ModelFacet(seat);
  const naming = new NamingFacet(seat);
  const memory = new Memory(seat, naming);
  let limits = await limitsOf(seat);
  const queues = new QueueFacet(seat, () => limits.violation && `Session budget exceeded (${limits.violation})`);
  const tools: ToolFacet = new ToolFacet(options, () => asking.reset());
  const asking: Asking = new Asking(seat, { models, limits: () => limits, tools });
  const shell: ShellFacet = new ShellFacet(seat, () => runs.isRunning);
  const retry = new RetryFacet(seat);
  const rules = new RuleFacet(seat);
  const compaction: CompactionFacet = new CompactionFacet(seat, asking, {
    endRun: () => runs.abort(),
    checkpoint: () => ({
      name: naming.name,
      ...(models.current ? { model: { provider: models.current.provider, modelId: models.current.id } } : {}),
      thinkingLevel: models.wanted,
      queued: queues.pending,
      held: shell.pending,
      ...(rules.acted.length > 0 ? { injectedRules: rules.acted } : {}),
      ...(limits.spent ? { spent: limits.spent } : {}),
    }),
  });
  const todos = new TodoFacet(seat);
  const entrance = new Entrance(seat, () => models.current);
  const subagents = new SubagentFacet(seat, models, tools, () => limits);
  const door = subagents.door;
  const parts = {
    seat,
    entrance,
    tools,
    queues,
    shell,
    asking,
    retry,
    compaction,
    get limits() {
      return limits;
    },
    rules,
    todos,
    subagents: door,
  };
  const runs: RunFacet = new RunFacet(parts);
  const history = new HistoryFacet(seat, {
    held: () => shell.held,
    name: () => naming.name,
    summarise: (text, signal) => asking.summarise(text, signal),
    remember: () => memory.keep(),
    endCommands: () => shell.end(),
    async leave() {
      await runs.abort();
      await compaction.abort();
    },
    async arrive(how, name) {
      const said = restored(seat.conversation.sketch);
      queues.reset(said.queued);
      shell.reset(said.held);
      naming.reset(name);
      asking.reset();
      rules.reset();
      todos.reset();
      subagents.reset();
      await limits.arrived();
      if (how === 'new') models.note();
      else await models.restore(said);
      if (how === 'resumed') memory.keepSoon();
    },
  });
  if (options.resumed) {
    memory.keepSoon();
    const said = restored(options.resumed.sketch ?? options.resumed.path);
    queues.reset(said.queued);
    shell.reset(said.held);
    rules.reset();
    if (!options.modelAsked) await models.restore(said);
  }

  /** Whoever is at work keeps to the limits with which it began. */
  const renewLimits = async (next: Limits) => {
    await runs.settled();
    const { spent } = limits;
    limits = next;
    await next.inherit(spent);
  };
  const { budget } = options;
  const trusted = async () => {
    asking.reset();
    rules.reset();
    if (options.budget === budget) return;
    const renewed = renewLimits(await limitsOf(seat));
    if (runs.isSettled) await renewed;
  };
  // What a subagent may do was decided when it was started.
  if (!options.family) options.places.onTrust(trusted);
  seat.broadcast.open();

  const state = (): SessionState => ({
    model: models.current,
    thinkingLevel: models.thinkingLevel,
    isStreaming: runs.isRunning,
    isCompacting: compaction.isRunning,
    isSettled: runs.isSettled,
    steeringMode: queues.steeringMode,
    followUpMode: queues.followUpMode,
    interruptMode: queues.interruptMode,
    ...(seat.conversation.file === undefined ? {} : { sessionFile: seat.conversation.file }),
    sessionId: seat.conversation.header.id,
    ...(naming.name === undefined ? {} : { sessionName: naming.name }),
    trusted: options.places.trusted,
    autoCompactionEnabled: compaction.automatic,
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
    get header() {
      return seat.conversation.header;
    },
    cwd: options.cwd,
    runs,
    queues,
    models,
    retry,
    compaction,
    history,
    shell,
    naming,
    todos,
    get kept() {
      return seat.kept;
    },
    subagents,
    notify: (notice) => void seat.broadcast.emit({ type: 'notice', ...notice }),
    entries: new EntryFacet(seat),
    context: contextOf(seat, asking),
    tools,
    commands: async () => (await seat.hooks.commands?.()) ?? [],
    complain: (failure) => void seat.broadcast.emit({ type: 'extension_error', ...failure }),
    skillLoaded: (skill) => void seat.broadcast.emit({ type: 'skill_loaded', ...skill }),
    state,
    subscribe: (listener: EventListener) => seat.broadcast.subscribe(listener),
    async close() {
      await farewell(seat);
      shell.abort();
      await runs.abort();
      await compaction.abort();
      await shell.end();
      queues.reportNotRun('the session was closed');
      rules.close();
      await subagents.idle();
      await memory.keep();
      await seat.conversation.close();
      await seat.artifacts.close();
    },
  };
}

/** Whoever counts is loaded where something is limited. */
async function limitsOf(seat: Seat): Promise<Limits> {
  const { budget, maxTurns, family } = seat.options;
  if (!budget && maxTurns === undefined && !family?.purse) return UNLIMITED;
  return new (await import('./limit-facet.ts')).LimitFacet(seat);
}

/** Others may have something to put away; a process that is told to go does not wait for them for long. */
async function farewell({ hooks, ports }: Seat): Promise<void> {
  const told = hooks.observe?.({ type: 'session_shutdown' });
  if (!told) return;
  const enough = new AbortController();
  await Promise.race([told.catch(() => {}), ports.clock.sleep(FAREWELL_MS, enough.signal)]);
  enough.abort();
}

function contextOf(seat: Seat, asking: Asking): ModelContext {
  return {
    get systemPrompt() {
      return asking.last?.prompt ?? '';
    },
    get sources() {
      return asking.last?.sources;
    },
    usage() {
      const { model } = asking;
      if (!model) return undefined;
      const tokens = contextTokens(seat.conversation.path);
      return { tokens, contextWindow: model.contextWindow, percent: (tokens / model.contextWindow) * 100 };
    },
    renew: () => asking.reset(),
  };
}
