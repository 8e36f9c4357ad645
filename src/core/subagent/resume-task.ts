// Continues a subagent that has ended: with its own log as history and a further message.
import { Fault } from '../../base/index.ts';
import type { TaskOptions, TaskRequest, ToolResult } from '../../contracts/index.ts';
import type { SubagentHost, SubagentRecord } from '../session/parent-link.ts';
import { restoreHost } from './restored-host.ts';
import { runTaskBatch, type TaskCallScope } from './run-task-batch.ts';
import { resultOrRefusal, warnOnce } from './run-task-call.ts';
import { planTaskCall } from './task-call-plan.ts';
import type { PlannedTask } from './validate-tasks.ts';

const NEW_COPY =
  'Your working directory is a new copy of the repository that contains your earlier changes. Paths of the earlier copy are no longer valid.';

export async function resumeTask(
  callScope: TaskCallScope,
  record: SubagentRecord,
  message: string,
  options: TaskOptions,
): Promise<ToolResult> {
  return resultOrRefusal(callScope, async () => {
    const { id, sessionFile } = record.snapshot;
    const patch = findPatch(record);
    const log = await requireLog(callScope, record);
    const host = await restoreHost(callScope.spawner, callScope.host, findParents(callScope.host, id), record.folder);
    const request = createRequest(record, message);
    const plan = await planTaskCall(callScope.spawner, host, request);
    await warnOnce({ ...callScope, host }, plan.warnings);
    const batch = {
      ...{ plan, request, folder: record.folder, tasks: [createTask(record, message)] },
      resumed: { record, resumption: { log, patch } },
    };
    host.subagentRegistry.logFiles.set(id, sessionFile ?? log);
    return runTaskBatch({ ...callScope, host }, batch, options);
  });
}

async function requireLog({ spawner }: TaskCallScope, { snapshot }: SubagentRecord): Promise<string> {
  const { id, sessionFile } = snapshot;
  const isSaved = sessionFile !== undefined && (await spawner.base.ports.files.info(sessionFile)) !== undefined;
  if (isSaved) return sessionFile;
  throw new Fault('refused', `Subagent ${id} cannot be continued: it has no log file.`);
}

/** The change that must be applied to the new copy. Throws a Fault when the files would not match the history of the subagent. */
function findPatch({ snapshot, request, hasNestedChanges }: SubagentRecord): string | undefined {
  const { id, status, applied, patchPath } = snapshot;
  if (!request.isolated || applied) return undefined;
  const refuse = (reason: string) => new Fault('refused', `Subagent ${id} cannot be continued: ${reason}`);
  if (hasNestedChanges) throw refuse('its change to a nested repository is not applied.');
  if (status === 'aborted') throw refuse('it was stopped before it had finished, so its change was not kept.');
  if (status === 'failed' && patchPath === undefined) throw refuse('its change was not kept.');
  return patchPath;
}

/** Outermost first. The id of a nested subagent begins with that of its parent and a dot. */
function findParents({ subagentRegistry }: SubagentHost, id: string): SubagentRecord[] {
  const parts = id.split('.').slice(0, -1);
  return parts.map((_, index) => {
    const parentId = parts.slice(0, index + 1).join('.');
    const parent = subagentRegistry.records.get(parentId);
    if (!parent) throw new Fault('refused', `Subagent ${id} cannot be continued: its parent ${parentId} is not known.`);
    return parent;
  });
}

function createRequest({ snapshot, request }: SubagentRecord, message: string): TaskRequest {
  const { id, agent, description } = snapshot;
  return { agent, ...request, tasks: [{ id, description, assignment: message }] };
}

function createTask({ snapshot, request }: SubagentRecord, message: string): PlannedTask {
  const { id, description } = snapshot;
  return {
    ...{ index: 0, id, description, assignment: message },
    prompt: request.isolated ? `${message}\n\n(${NEW_COPY})` : message,
  };
}
