// Starts, steers, stops and continues subagents for the host, lists those that have ended, and reads their logs. Loaded on demand.
import { Fault } from '../../base/index.ts';
import type {
  SubagentControl,
  SubagentRunner,
  SubagentStart,
  Transcript,
  TranscriptRequest,
} from '../../contracts/index.ts';
import type { SubagentSnapshot } from '../../protocol/index.ts';
import type { RunScope } from '../agent/run-scope.ts';
import { type HostTaskContext, startHostTask } from './host-tasks.ts';
import type { SubagentHandle, SubagentRecord, SubagentRegistry, Subagents } from './parent-link.ts';
import { readTranscript } from './read-transcript.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';
import type { ToolFacet } from './tool-facet.ts';

/** Recorded in the log of the session for each subagent that the host starts or continues. */
const SUBAGENT_ENTRY = 'parley.subagent';

export interface SubagentPorts {
  getLimits(): SessionLimits;
  /** For a call of the task tool outside of a run. */
  createScope(controller: AbortController): Promise<RunScope>;
}

/** The part of the facet that is used here. */
interface HostTaskOwner {
  readonly subagentRegistry: SubagentRegistry;
  readonly taskRunner: Subagents | undefined;
  readonly hostTasks: Set<AbortController>;
  readonly isClosed: boolean;
  trackWork(work: Promise<unknown>): void;
}

type ControlMethods = Pick<SubagentControl, 'listEnded' | 'readTranscript' | 'start' | 'steer' | 'stop' | 'resume'>;

/** For one conversation. */
export class SubagentController implements ControlMethods {
  readonly #facet: HostTaskOwner;
  readonly #state: SessionState;
  readonly #tools: ToolFacet;
  readonly #ports: SubagentPorts;
  #recordsLoaded: Promise<void> | undefined;
  /** Ids of subagents that are about to be continued. */
  readonly #resuming = new Set<string>();

  constructor(facet: HostTaskOwner, state: SessionState, tools: ToolFacet, ports: SubagentPorts) {
    this.#facet = facet;
    this.#state = state;
    this.#tools = tools;
    this.#ports = ports;
  }

  get #registry(): SubagentRegistry {
    return this.#facet.subagentRegistry;
  }

  async readTranscript(request: TranscriptRequest): Promise<Transcript> {
    const { logFiles } = this.#registry;
    if (request.subagentId === undefined || !logFiles.has(request.subagentId)) await this.#loadRecords();
    return readTranscript(this.#state.ports.files, logFiles, request);
  }

  async listEnded(): Promise<readonly SubagentSnapshot[]> {
    await this.#loadRecords();
    const { records, running } = this.#registry;
    const ended = [...records.values()].flatMap(({ snapshot }) => (running.has(snapshot.id) ? [] : snapshot));
    return ended.sort((one, other) => one.lastUpdate - other.lastUpdate);
  }

  /** Reads the records of an earlier process, once. */
  #loadRecords(): Promise<void> {
    this.#recordsLoaded ??= this.#facet.taskRunner?.loadRecords() ?? Promise.resolve();
    return this.#recordsLoaded;
  }

  start({ assignment, description, ...request }: SubagentStart): Promise<string> {
    const tasks = [{ id: request.agent, description, assignment }];
    return this.#startTask({ ...request, tasks }, (runner, ...args) => runner.run(...args));
  }

  async steer(subagentId: string, message: string): Promise<void> {
    requireMessage(message);
    await (await this.#requireRunning(subagentId)).steer(message);
  }

  async stop(subagentId: string, reason?: string): Promise<void> {
    await (await this.#requireRunning(subagentId)).stop(reason);
  }

  async resume(subagentId: string, message: string): Promise<void> {
    requireMessage(message);
    await this.#loadRecords();
    const record = this.#requireEnded(subagentId);
    const { agent, description } = record.snapshot;
    const { isolated, verify } = record.request;
    const tasks = [{ id: subagentId, description, assignment: message }];
    this.#resuming.add(subagentId);
    try {
      await this.#startTask({ agent, isolated, verify, tasks }, async (runner, request, options) => {
        // A hook may have changed the arguments, but not which subagent is continued.
        if (request.agent !== agent) throw new Fault('refused', `Subagent ${subagentId} is of the agent ${agent}.`);
        return runner.resume(record, request.tasks?.[0]?.assignment ?? message, options);
      });
    } finally {
      this.#resuming.delete(subagentId);
    }
  }

  async #startTask(
    args: Record<string, unknown>,
    run: (runner: Subagents, ...args: Parameters<SubagentRunner['run']>) => ReturnType<SubagentRunner['run']>,
  ): Promise<string> {
    const runner = this.#facet.taskRunner;
    if (!runner) throw new Fault('refused', 'Subagents cannot be started here.');
    // A copy without undefined fields, as a model sends the arguments.
    const jsonArguments = JSON.parse(JSON.stringify(args));
    return startHostTask(this.#createTaskContext(), jsonArguments, (...taskArguments) => run(runner, ...taskArguments));
  }

  #createTaskContext(): HostTaskContext {
    const facet = this.#facet;
    const { conversation, ports } = this.#state;
    return {
      limits: this.#ports.getLimits(),
      listActiveTools: () => this.#tools.listActive(),
      createScope: (controller) => this.#ports.createScope(controller),
      nextId: () => ports.ids.entryId(),
      yieldToEventLoop: () => ports.clock.yieldToEventLoop(),
      recordStart: (id) => conversation.commit([{ type: 'custom', customType: SUBAGENT_ENTRY, data: { id } }]),
      assertOpen() {
        if (facet.isClosed) throw new Fault('refused', 'The session is closed.');
      },
      track(controller, work) {
        facet.hostTasks.add(controller);
        void work.catch(() => {}).then(() => facet.hostTasks.delete(controller));
        facet.trackWork(work);
      },
    };
  }

  async #requireRunning(subagentId: string): Promise<SubagentHandle> {
    const { handles, records } = this.#registry;
    const handle = handles.get(subagentId);
    if (handle) return handle;
    await this.#loadRecords();
    const record = records.get(subagentId);
    if (!record) throw createUnknownFault(subagentId);
    const { status } = record.snapshot;
    throw new Fault('refused', `Subagent ${subagentId} has ended (${status}). resume_subagent continues it.`);
  }

  /** Synchronous, so that two calls cannot continue the same subagent. */
  #requireEnded(subagentId: string): SubagentRecord {
    const { records, handles } = this.#registry;
    const record = records.get(subagentId);
    if (!record) throw createUnknownFault(subagentId);
    if (handles.has(subagentId) || this.#resuming.has(subagentId))
      throw new Fault('busy', `Subagent ${subagentId} is running. steer_subagent sends it a message.`);
    return record;
  }
}

function requireMessage(message: string): void {
  if (message.trim() === '') throw new Fault('invalid_params', 'The message cannot be empty');
}

function createUnknownFault(subagentId: string): Fault {
  return new Fault('not_found', `Unknown subagent: ${subagentId}`);
}
