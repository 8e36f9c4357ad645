// Rebuilds the sessions between the user's session and a nested subagent that is continued, with the restrictions that hold now.
import { Fault } from '../../base/index.ts';
import type { SubagentHost, SubagentRecord } from '../session/parent-link.ts';
import { chooseModel } from './model-choice.ts';
import type { Spawner } from './spawner.ts';
import { getSubagentDepth, isSubagentTool, selectTools } from './subagent-session-options.ts';
import { resolveAgent } from './validate-tasks.ts';

/** `parents` are the subagents above the one that is continued, outermost first. Throws a Fault when it may not be started now. */
export async function restoreHost(
  spawner: Spawner,
  root: SubagentHost,
  parents: readonly SubagentRecord[],
  folder: string,
): Promise<SubagentHost> {
  let host = createHost(root, root, folder);
  for (const parent of parents) host = await addParent(spawner, root, host, parent);
  if (parents.length > 0 && !(await host.listInheritableTools()).some(isSubagentTool))
    throw new Fault('refused', `${parents.at(-1)?.snapshot.id} may not start subagents.`);
  return host;
}

async function addParent(
  spawner: Spawner,
  root: SubagentHost,
  host: SubagentHost,
  { snapshot, request }: SubagentRecord,
): Promise<SubagentHost> {
  const { id } = snapshot;
  if (request.isolated)
    throw new Fault('refused', `It worked in the copy of the repository of ${id}, which has been removed.`);
  const agent = resolveAgent(snapshot.agent, await spawner.getAgentRegistry(), spawner.settings, host.parentLink);
  const [{ model }, tools] = await Promise.all([chooseModel(spawner, host, agent), selectTools(spawner, host, agent)]);
  return {
    ...createHost(root, host, await host.ensureArtifactDirectory()),
    model,
    thinkingLevel: agent.thinkingLevel ?? host.thinkingLevel,
    listInheritableTools: async () => tools,
    parentLink: {
      ...{ depth: getSubagentDepth(host), id, agent: agent.name, spawns: agent.spawns, emit: root.emit },
      ...{ subagentRegistry: root.subagentRegistry, budgetAccount: root.budgetAccount },
      outputSchema: agent.outputSchema ?? request.schema ?? host.parentLink?.outputSchema,
    },
  };
}

/** Closing the user's session waits for the work, and its budget pays for it. */
function createHost(root: SubagentHost, parent: SubagentHost, folder: string): SubagentHost {
  return {
    ...{ parentLink: parent.parentLink, cwd: root.cwd, emit: root.emit, subagentRegistry: root.subagentRegistry },
    ...{ model: parent.model, thinkingLevel: parent.thinkingLevel, budgetAccount: root.budgetAccount },
    listInheritableTools: () => parent.listInheritableTools(),
    ensureArtifactDirectory: async () => folder,
    findArtifactDirectory: async () => folder,
    retainArtifacts: () => root.retainArtifacts(),
    trackWork: (work) => root.trackWork(work),
  };
}
