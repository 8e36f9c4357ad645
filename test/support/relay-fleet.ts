// Starts several `parley serve` on one database, as the nodes of a fleet.
import { createTestDatabase } from './database.ts';
import type { WireFrame } from './frame-collector.ts';
import { createDirectories, type ProgramDirectories } from './program.ts';
import { OFFLINE, type Server, startServer } from './server.ts';

export interface Fleet {
  readonly url: string;
  readonly nodes: readonly Server[];
  startNode(): Promise<Server>;
}

export interface FleetOptions {
  readonly nodes?: number;
  readonly args?: readonly string[];
  /** Of the first node. The others have the same working directory. */
  readonly directories?: ProgramDirectories;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const { nodes: count = 2, args = OFFLINE, directories = createDirectories(), env = {} } = options;
  const { url } = await createTestDatabase();
  const start = (own: ProgramDirectories) =>
    startServer([...args, '--set', 'database.takeoverSeconds=2'], {
      directories: own,
      env: { PARLEY_DATABASE_URL: url, ...env },
    });
  const startNode = () => start({ ...createDirectories(), cwd: directories.cwd });
  const nodes = [await start(directories)];
  while (nodes.length < count) nodes.push(await startNode());
  return { url, nodes, startNode };
}

/** Positions of the events: each begins where the one before ended. */
export function findGaps(frames: readonly WireFrame[]): string[] {
  const events = frames.filter(({ type, seq }) => seq !== undefined && type !== 'session_attached');
  return events.slice(1).flatMap(({ seq, firstSeq = seq, type }, at) => {
    const { seq: last } = events[at] as WireFrame;
    return Number(firstSeq) === Number(last) + 1 ? [] : [`${type} ${firstSeq} follows ${last}`];
  });
}

/** The value of a metric without labels, or with exactly these. */
export async function readMetric({ request }: Server, name: string): Promise<number> {
  const { text } = await request('/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
