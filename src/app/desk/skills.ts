// The hall: notices when a skill is taken up: a person calls it by name, or the model reads its file. Changes nothing.
import { resolve } from 'node:path';
import type { AgentSession } from '../../contracts/index.ts';
import { type AgentEventOf, textOf } from '../../protocol/index.ts';

/** What a skill that was called by name becomes. */
const CALLED = /^<skill name="[^"]*" location="([^"]*)">/;

/** Each is told of once. */
export function watchSkills(session: AgentSession): void {
  const reading = new Map<string, string>();
  const told = new Set<string>();
  const takenUp = async (path: string) => {
    const found = (await session.commands()).find((one) => one.source === 'skill' && one.path === path);
    if (!found || told.has(path)) return;
    told.add(path);
    session.skillLoaded({ name: found.name.replace(/^skill:/, ''), description: found.description ?? '' });
  };
  const begun = ({ toolCallId, args }: AgentEventOf<'tool_execution_start'>) => {
    const { path } = args;
    if (typeof path === 'string' && path.endsWith('.md')) reading.set(toolCallId, resolve(session.cwd, path));
  };
  const done = async ({ toolCallId, toolName, isError }: AgentEventOf<'tool_execution_end'>) => {
    const path = reading.get(toolCallId);
    if (path === undefined) return;
    reading.delete(toolCallId);
    const tool = (await session.tools.all()).find(({ name }) => name === toolName);
    if (!isError && tool?.file === 'read') await takenUp(path);
  };
  session.subscribe((event) => {
    if (event.type === 'tool_execution_start') begun(event);
    if (event.type === 'tool_execution_end') return done(event);
    if (event.type !== 'message_start' || event.message.role !== 'user') return undefined;
    const location = CALLED.exec(textOf(event.message.content))?.[1];
    return location === undefined ? undefined : takenUp(location);
  });
}
