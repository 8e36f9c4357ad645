// The hall: lets agents start agents: their settings, their definitions, the tool that asks for them. Loaded with the first task.
import type { AgentSession, Places, Ports, SessionStore, Tool, TryPatterns } from '../contracts/index.ts';
import type { CreateSubagents, SessionOptions } from '../core/index.ts';
import type { Roster } from '../core/subagent/roster.ts';
import type { ProcessIdentity } from '../store/index.ts';
import type { SettingValues } from './settings-table.ts';

export interface SubagentParts {
  readonly ports: Ports;
  readonly settings: SettingValues;
  readonly agentDirectory: string;
  /** Where agents are described. */
  readonly places: Places;
  open(options: SessionOptions): Promise<AgentSession>;
  logs(folder: string, name: string): SessionStore;
  /** Whether those logs are files. */
  readonly keepsLogs: boolean;
  readonly identity: ProcessIdentity;
}

type SettingsOf = typeof import('./subagent-settings.ts').settingsOf;

export interface SubagentRoom {
  /** For a session made with these options, and for all that come from it. */
  doorFor(base: () => SessionOptions): CreateSubagents;
  tool(): Promise<Tool>;
  /** Clears away what subagents of processes that were killed left behind. */
  sweep(): Promise<void>;
}

export function createSubagentRoom(parts: SubagentParts): SubagentRoom {
  const { settings, places } = parts;
  let reading: Promise<Roster> | undefined;
  /** The user's own session is told of files that cannot be used, when there is one. */
  let tell: ((message: string) => void) | undefined;
  const untold: string[] = [];
  const complain = (message: string) => void (tell ? tell(message) : untold.push(message));
  const roster = () => {
    reading ??= readAgents(parts, complain);
    return reading;
  };
  places.onTrust(() => {
    reading = undefined;
  });
  const worktrees = `${parts.agentDirectory}/worktrees`;
  const tryPatterns: TryPatterns = async (pairs) => {
    const { createTryPatterns } = await import('./system-ports/pattern-watch.ts');
    return createTryPatterns(parts.ports)(pairs);
  };
  const spawnerFor = (base: SessionOptions, settingsOf: SettingsOf) => ({
    base,
    tryPatterns,
    open: parts.open,
    roster,
    logs: parts.logs,
    keepsLogs: parts.keepsLogs,
    get settings() {
      return settingsOf(settings);
    },
    worktrees,
    process: parts.identity,
  });
  return {
    doorFor(base) {
      return (host) => {
        tell ??= (message) => void host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
        untold.splice(0).forEach(tell);
        const opening = async () => {
          const { createSubagents } = await import('../core/subagent/index.ts');
          const { settingsOf } = await import('./subagent-settings.ts');
          return createSubagents(spawnerFor(base(), settingsOf), host);
        };
        let door: ReturnType<typeof opening> | undefined;
        return {
          async run(request, options) {
            door ??= opening();
            return (await door).run(request, options);
          },
        };
      };
    },
    async sweep() {
      const { files } = parts.ports;
      const inside = async (path: string) =>
        (await files.list(path).catch(() => [])).map(({ name }) => `${path}/${name}`);
      const batches = await Promise.all((await inside(worktrees)).map(inside));
      if (batches.flat().length === 0) return;
      const { reapAll } = await import('../core/subagent/isolation/reap.ts');
      (await reapAll(parts.ports, parts.identity, worktrees)).forEach(complain);
    },
    async tool() {
      const [{ createTaskTool }, { agents, problems }] = await Promise.all([import('../tools/task.ts'), roster()]);
      const disabled = settings['task.disabledAgents'];
      return createTaskTool({
        agents: [...agents.values()].filter(({ name }) => !disabled.includes(name)),
        canIsolate: settings['task.isolation.mode'] !== 'none',
        broken: problems.map(({ path, reason }) => `${path.replace(/^.*\//, '')} (${reason})`),
      });
    },
  };
}

async function readAgents({ places }: SubagentParts, tell: (message: string) => void): Promise<Roster> {
  // Not through the room's door: a prompt offers the agents, and few prompts start one.
  const { readRoster } = await import('../core/subagent/roster.ts');
  const folders = await places.folders('agents');
  const roster = await readRoster(
    places.reading,
    folders.map(({ path, level }) => ({ path, source: level })),
  );
  for (const { path, reason } of roster.problems) tell(`${path}: ${reason}; the agent is left out`);
  return roster;
}
