// `parley mcp remove`: removes an MCP server from the first file that defines it: the user's, then those of the project.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { editMcpFile, hasServer } from './edit-file.ts';
import { formatMcpHelp } from './help.ts';
import { createMcpSetup } from './setup.ts';

export async function runMcpRemove(argv: readonly string[]): Promise<string> {
  const { name, isForProject } = parseWithHelp(formatMcpHelp(), () => {
    const options = { project: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    const [name, ...extra] = positionals;
    if (name === undefined || extra.length > 0) throw new Error('parley mcp remove needs one NAME');
    return { name, isForProject: values.project ?? false };
  });
  const { ports, cwd, userFile, projectFiles } = await createMcpSetup();
  const files = [...(isForProject ? [] : [userFile]), ...projectFiles.map((path) => join(cwd, path))];
  for (const file of files) {
    if (!(await hasServer(ports, file, name))) continue;
    await editMcpFile(ports, file, name, undefined);
    return `Removed ${name} from ${file}.\n`;
  }
  throw new Fault('not_found', `There is no MCP server ${name} in ${files.join(', ')}. \`parley mcp list\` shows all.`);
}
