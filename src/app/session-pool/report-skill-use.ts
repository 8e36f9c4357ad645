// Reports when a skill is used: the user calls it by name, or the model reads its file.
import { resolve } from 'node:path';
import type { AgentSession } from '../../contracts/index.ts';
import { type AgentEventOf, extractText } from '../../protocol/index.ts';

/** The start of the message that a skill called by name is expanded to. */
const SKILL_BLOCK = /^<skill name="[^"]*" location="([^"]*)">/;

/** Reports each skill once. */
export function reportSkillUse(session: AgentSession): void {
  const pathsByCall = new Map<string, string>();
  const reported = new Set<string>();
  const report = async (path: string) => {
    const found = (await session.listSlashCommands()).find(
      (command) => command.source === 'skill' && command.path === path,
    );
    if (!found || reported.has(path)) return;
    reported.add(path);
    session.reportSkillLoaded({ name: found.name.replace(/^skill:/, ''), description: found.description ?? '' });
  };
  const onToolStart = ({ toolCallId, args }: AgentEventOf<'tool_execution_start'>) => {
    const { path } = args;
    if (typeof path === 'string' && path.endsWith('.md')) pathsByCall.set(toolCallId, resolve(session.cwd, path));
  };
  const onToolEnd = async ({ toolCallId, toolName, isError }: AgentEventOf<'tool_execution_end'>) => {
    const path = pathsByCall.get(toolCallId);
    if (path === undefined) return;
    pathsByCall.delete(toolCallId);
    const tool = (await session.tools.listAll()).find(({ name }) => name === toolName);
    if (!isError && tool?.fileAccess === 'read') await report(path);
  };
  session.subscribe((event) => {
    if (event.type === 'tool_execution_start') onToolStart(event);
    if (event.type === 'tool_execution_end') return onToolEnd(event);
    if (event.type !== 'message_start' || event.message.role !== 'user') return undefined;
    const location = SKILL_BLOCK.exec(extractText(event.message.content))?.[1];
    return location === undefined ? undefined : report(location);
  });
}
