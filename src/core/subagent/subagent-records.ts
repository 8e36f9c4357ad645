// Keeps a record of each subagent in memory and next to its log, so that it can be listed and continued, also by a later process.
import { boolean, type InferOutput, literal, object, optional, safeParse, unknown } from 'valibot';
import { getErrorMessage, tryParseJson } from '../../base/index.ts';
import type { Files, TaskRequest } from '../../contracts/index.ts';
import { type SubagentResult, type SubagentSnapshot, subagentSnapshot } from '../../protocol/index.ts';
import type { SubagentRecord, SubagentRegistry } from '../session/parent-link.ts';
import type { Spawner } from './spawner.ts';

const RECORD_SUFFIX = '.result.json';
const KILLED = 'The program ended before the subagent was finished.';

const storedRecord = object({
  format: literal(1),
  snapshot: subagentSnapshot,
  request: object({ isolated: optional(boolean()), verify: optional(unknown()), schema: optional(unknown()) }),
  hasNestedChanges: optional(boolean()),
});

/** Never rejects: without its file, a record is lost when the program ends. */
export async function saveRecord(
  { base, savesLogs }: Pick<Spawner, 'base' | 'savesLogs'>,
  { records }: SubagentRegistry,
  record: SubagentRecord,
): Promise<void> {
  const { snapshot, request, hasNestedChanges, folder } = record;
  // The newest record is the last one.
  records.delete(snapshot.id);
  records.set(snapshot.id, record);
  if (!savesLogs) return;
  const path = `${folder}/${snapshot.id}${RECORD_SUFFIX}`;
  const stored: InferOutput<typeof storedRecord> = { format: 1, snapshot, request, hasNestedChanges };
  try {
    await base.ports.files.write(path, new TextEncoder().encode(JSON.stringify(stored)), { mode: 0o600 });
  } catch (thrown) {
    base.ports.log('cannot write the record of a subagent', { path, error: getErrorMessage(thrown) });
  }
}

/** The record of a subagent that has ended. The numbers of its earlier runs are added. */
export function endRecord(
  { snapshot, ...record }: SubagentRecord,
  result: SubagentResult,
  { previous, now }: { previous: SubagentSnapshot | undefined; now: number },
): SubagentRecord {
  const { error, abortReason, outputPath, patchPath, branchName, applied, verification } = result;
  const found = { error, abortReason, outputPath, patchPath, branchName, applied, verification };
  const { nestedPatches = [], newRepositories = [] } = result;
  return {
    ...record,
    hasNestedChanges: nestedPatches.length + newRepositories.length > 0,
    snapshot: {
      ...snapshot,
      status: getEndStatus(result),
      lastUpdate: now,
      durationMs: result.durationMs + (previous?.durationMs ?? 0),
      tokens: result.tokens + (previous?.tokens ?? 0),
      cost: (result.usage?.cost.total ?? 0) + (previous?.cost ?? 0),
      ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
    },
  };
}

export function getEndStatus({ aborted, exitCode }: SubagentResult): 'aborted' | 'completed' | 'failed' {
  if (aborted) return 'aborted';
  return exitCode === 0 ? 'completed' : 'failed';
}

/** Adds the records in this folder, and those of nested subagents. Files that cannot be read are ignored. */
export async function loadRecords(files: Files, registry: SubagentRegistry, folder: string): Promise<void> {
  const listed = await files.list(folder).catch(() => []);
  const logNames = new Set(listed.flatMap(({ name, kind }) => (kind === 'file' ? name : [])));
  for (const { name, kind } of listed) {
    // The folder of a subagent has the name of its log.
    if (kind === 'directory' && logNames.has(`${name}.jsonl`)) await loadRecords(files, registry, `${folder}/${name}`);
    if (kind !== 'file' || !name.endsWith(RECORD_SUFFIX)) continue;
    const id = name.slice(0, -RECORD_SUFFIX.length);
    if (registry.records.has(id)) continue;
    const record = await readRecord(files, folder, id, logNames);
    if (!record) continue;
    registry.records.set(id, record);
    if (record.snapshot.sessionFile) registry.logFiles.set(id, record.snapshot.sessionFile);
  }
}

/** Paths are those of this folder: the session may have been moved. */
async function readRecord(
  files: Files,
  folder: string,
  id: string,
  names: ReadonlySet<string>,
): Promise<SubagentRecord | undefined> {
  const bytes = await files.read(`${folder}/${id}${RECORD_SUFFIX}`).catch(() => undefined);
  const parsed = safeParse(storedRecord, bytes && tryParseJson(new TextDecoder().decode(bytes)));
  if (!parsed.success || parsed.output.snapshot.id !== id) return undefined;
  const { snapshot, request, hasNestedChanges } = parsed.output;
  const { sessionFile: _, outputPath, patchPath, ...rest } = snapshot;
  const toPath = (field: string, extension: string, isKnown: unknown) =>
    isKnown && names.has(`${id}${extension}`) ? { [field]: `${folder}/${id}${extension}` } : {};
  const isKilled = snapshot.status === 'running' || snapshot.status === 'pending';
  return {
    folder,
    hasNestedChanges,
    request: request as Pick<TaskRequest, 'isolated' | 'verify' | 'schema'>,
    snapshot: {
      ...rest,
      ...toPath('sessionFile', '.jsonl', true),
      ...toPath('outputPath', '.md', outputPath),
      ...toPath('patchPath', '.patch', patchPath),
      ...(isKilled ? { status: 'aborted', error: KILLED } : {}),
    },
  };
}
