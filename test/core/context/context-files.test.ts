// Context files (AGENTS.md, CLAUDE.md) in a project and above it: which are used, and why others are not.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { Files } from '../../../src/contracts/index.ts';
import { findContextFiles } from '../../../src/core/context/context-files.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files } = createSystemPorts({});

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Creates home/.parley, and home/project/inner as the working directory. */
function createDirectories() {
  const home = createTemporaryDirectory();
  const agentDirectory = join(home, '.parley');
  const project = join(home, 'project');
  const cwd = join(project, 'inner');
  mkdirSync(agentDirectory);
  mkdirSync(cwd, { recursive: true });
  writeFile(join(agentDirectory, 'models.json'), '{"apiKey":"secret"}');
  return { home, agentDirectory, project, cwd };
}

/** Real files, with other owners for some paths. The user id is 1000. */
function withOwners(owners: Readonly<Record<string, number>>): Pick<Files, 'info' | 'read' | 'realPath' | 'userId'> {
  return {
    userId: 1000,
    read: files.read,
    realPath: files.realPath,
    async info(path, options) {
      const info = await files.info(path, options);
      return info && { ...info, owner: owners[path] ?? 1000 };
    },
  };
}

const readAll = async (
  access: ReturnType<typeof withOwners>,
  { agentDirectory, cwd }: ReturnType<typeof createDirectories>,
) => {
  const { found, warnings } = await findContextFiles(access, agentDirectory, cwd);
  return { found: found.map(({ content }) => content), warnings };
};

test('the file of the user comes first, then one file per directory from the root to the working directory', async () => {
  const at = createDirectories();
  writeFile(join(at.agentDirectory, 'AGENTS.md'), 'own');
  writeFile(join(at.project, 'CLAUDE.md'), 'project');
  writeFile(join(at.cwd, 'AGENTS.md'), 'inner');
  writeFile(join(at.cwd, 'CLAUDE.md'), 'the other');
  expect(await readAll(files, at)).toEqual({ found: ['own', 'project', 'inner'], warnings: [] });
});

describe('symbolic links', () => {
  test('inside the directory are followed', async () => {
    const at = createDirectories();
    writeFile(join(at.cwd, 'docs/agents.md'), 'docs');
    symlinkSync('docs/agents.md', join(at.cwd, 'AGENTS.md'));
    writeFile(join(at.project, 'AGENTS.md'), 'project');
    symlinkSync('AGENTS.md', join(at.project, 'CLAUDE.md'));
    expect(await readAll(files, at)).toEqual({ found: ['project', 'docs'], warnings: [] });
  });

  test.each(['AGENTS.md', 'CLAUDE.md'])(
    '%s that points out of its directory is not used, in the project or above it',
    async (name) => {
      const at = createDirectories();
      const target = join(at.agentDirectory, 'models.json');
      symlinkSync(target, join(at.cwd, name));
      symlinkSync('../.parley/models.json', join(at.project, name));
      const { found, warnings } = await readAll(files, at);
      expect(found).toEqual([]);
      const expectedWarning = (directory: string) =>
        `${join(directory, name)} is not used: it is a link to ${target}, outside ${directory}. Replace the link with a copy to use it.`;
      expect(warnings).toEqual([expectedWarning(at.project), expectedWarning(at.cwd)].sort());
    },
  );

  test('through a linked directory or several links are checked too', async () => {
    const at = createDirectories();
    symlinkSync(at.agentDirectory, join(at.cwd, 'docs'));
    symlinkSync('docs/models.json', join(at.cwd, 'step.md'));
    symlinkSync('step.md', join(at.cwd, 'AGENTS.md'));
    expect(await readAll(files, at)).toMatchObject({ found: [], warnings: [expect.stringContaining('is a link to')] });
  });

  test('the other file name is tried if one is not usable', async () => {
    const at = createDirectories();
    symlinkSync('/etc/passwd', join(at.cwd, 'AGENTS.md'));
    writeFile(join(at.cwd, 'CLAUDE.md'), 'the other');
    expect(await readAll(files, at)).toMatchObject({ found: ['the other'], warnings: [expect.any(String)] });
  });

  test('the file of the user may link to any location', async () => {
    const at = createDirectories();
    writeFile(join(at.home, 'dotfiles/AGENTS.md'), 'own');
    symlinkSync('../dotfiles/AGENTS.md', join(at.agentDirectory, 'AGENTS.md'));
    expect(await readAll(files, at)).toEqual({ found: ['own'], warnings: [] });
  });
});

describe('above the working directory', () => {
  test('a world-writable directory ends the search, with or without a sticky bit', async () => {
    for (const mode of [0o777, 0o1777]) {
      const at = createDirectories();
      writeFile(join(at.home, 'AGENTS.md'), 'home');
      writeFile(join(at.project, 'AGENTS.md'), 'project');
      writeFile(join(at.cwd, 'AGENTS.md'), 'inner');
      chmodSync(at.project, mode);
      const reason = `${at.project} can be written by every user. Change owner or mode to use it.`;
      expect(await readAll(withOwners({}), at)).toEqual({
        found: ['inner'],
        warnings: [`${at.home}/AGENTS.md is not used: ${reason}`, `${at.project}/AGENTS.md is not used: ${reason}`],
      });
    }
  });

  test('files and directories of other users are not used, but those of root are', async () => {
    const at = createDirectories();
    writeFile(join(at.home, 'AGENTS.md'), 'home');
    writeFile(join(at.project, 'AGENTS.md'), 'project');
    expect(await readAll(withOwners({ [at.home]: 0, [at.project]: 0 }), at)).toMatchObject({
      found: ['home', 'project'],
    });
    const foreignFile = await readAll(withOwners({ [join(at.project, 'AGENTS.md')]: 1001 }), at);
    expect(foreignFile.found).toEqual(['home']);
    expect(foreignFile.warnings).toEqual([
      `${at.project}/AGENTS.md is not used: it belongs to another user (id 1001). Change owner or mode to use it.`,
    ]);
    const foreignDirectory = await readAll(withOwners({ [at.project]: 1001 }), at);
    expect(foreignDirectory.found).toEqual([]);
    expect(foreignDirectory.warnings[0]).toContain(`${at.project} belongs to another user (id 1001).`);
  });

  test('a world-writable file is not used', async () => {
    const at = createDirectories();
    writeFile(join(at.project, 'AGENTS.md'), 'project');
    chmodSync(join(at.project, 'AGENTS.md'), 0o666);
    expect(await readAll(withOwners({}), at)).toMatchObject({
      found: [],
      warnings: [expect.stringContaining('it can be written')],
    });
  });

  test('owners are not checked if the system has no user ids', async () => {
    const at = createDirectories();
    writeFile(join(at.project, 'AGENTS.md'), 'project');
    chmodSync(at.project, 0o777);
    expect(await readAll({ ...withOwners({ [at.project]: 0 }), userId: undefined }, at)).toEqual({
      found: ['project'],
      warnings: [],
    });
  });
});

test('the working directory may belong to another user or be world-writable, but a file of a third user in it is not used', async () => {
  const at = createDirectories();
  const file = join(at.cwd, 'AGENTS.md');
  writeFile(file, 'inner');
  chmodSync(at.cwd, 0o777);
  expect(await readAll(withOwners({ [at.cwd]: 1001, [file]: 1001 }), at)).toMatchObject({ found: ['inner'] });
  expect(await readAll(withOwners({ [at.cwd]: 0, [file]: 1001 }), at)).toEqual({
    found: [],
    warnings: [
      `${file} is not used: its owner (user id 1001) is not the owner of ${at.cwd}. Change its owner to use it.`,
    ],
  });
});

test('without context files only their paths are checked', async () => {
  const at = createDirectories();
  const checkedPaths: string[] = [];
  const recordingFiles = {
    ...withOwners({}),
    info: async (path: string) => {
      checkedPaths.push(path);
      return undefined;
    },
    realPath: async () => {
      throw new Error('not needed');
    },
  };
  await findContextFiles(recordingFiles, at.agentDirectory, at.cwd);
  const directoryCount = at.cwd.split('/').length + 1;
  expect(checkedPaths).toHaveLength(directoryCount * 2);
});
