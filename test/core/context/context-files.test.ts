// Notes for agents, as they lie in a project and above it: which of them are read, and why others are not.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { Files } from '../../../src/contracts/index.ts';
import { findContextFiles } from '../../../src/core/context/context-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const { files } = createSystemPorts({});

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** home/.parley, and home/project/inner as the working directory. */
function place() {
  const home = temporaryDirectory();
  const agentDirectory = join(home, '.parley');
  const project = join(home, 'project');
  const cwd = join(project, 'inner');
  mkdirSync(agentDirectory);
  mkdirSync(cwd, { recursive: true });
  put(join(agentDirectory, 'models.json'), '{"apiKey":"secret"}');
  return { home, agentDirectory, project, cwd };
}

/** The real files, of which some belong to others. */
function owned(owners: Readonly<Record<string, number>>): Pick<Files, 'info' | 'read' | 'resolve' | 'userId'> {
  return {
    userId: 1000,
    read: files.read,
    resolve: files.resolve,
    async info(path, options) {
      const info = await files.info(path, options);
      return info && { ...info, owner: owners[path] ?? 1000 };
    },
  };
}

const contents = async (of: ReturnType<typeof owned>, { agentDirectory, cwd }: ReturnType<typeof place>) => {
  const { found, refused } = await findContextFiles(of, agentDirectory, cwd);
  return { found: found.map(({ content }) => content), refused };
};

test('the user’s own, then from above down to the working directory; one each', async () => {
  const at = place();
  put(join(at.agentDirectory, 'AGENTS.md'), 'own');
  put(join(at.project, 'CLAUDE.md'), 'project');
  put(join(at.cwd, 'AGENTS.md'), 'inner');
  put(join(at.cwd, 'CLAUDE.md'), 'the other');
  expect(await contents(files, at)).toEqual({ found: ['own', 'project', 'inner'], refused: [] });
});

describe('links', () => {
  test('inside their own directory are followed', async () => {
    const at = place();
    put(join(at.cwd, 'docs/agents.md'), 'docs');
    symlinkSync('docs/agents.md', join(at.cwd, 'AGENTS.md'));
    put(join(at.project, 'AGENTS.md'), 'project');
    symlinkSync('AGENTS.md', join(at.project, 'CLAUDE.md'));
    expect(await contents(files, at)).toEqual({ found: ['project', 'docs'], refused: [] });
  });

  test.each(['AGENTS.md', 'CLAUDE.md'])(
    '%s that leads out of the project is not read, in the project or above',
    async (name) => {
      const at = place();
      const target = join(at.agentDirectory, 'models.json');
      symlinkSync(target, join(at.cwd, name));
      symlinkSync('../.parley/models.json', join(at.project, name));
      const { found, refused } = await contents(files, at);
      expect(found).toEqual([]);
      const because = (directory: string) =>
        `${join(directory, name)} is not used: it is a link to ${target}, outside ${directory}. Put a copy in its place to use it.`;
      expect(refused).toEqual([because(at.project), because(at.cwd)].sort());
    },
  );

  test('through a directory that leads out, or in several steps, count the same', async () => {
    const at = place();
    symlinkSync(at.agentDirectory, join(at.cwd, 'docs'));
    symlinkSync('docs/models.json', join(at.cwd, 'step.md'));
    symlinkSync('step.md', join(at.cwd, 'AGENTS.md'));
    expect(await contents(files, at)).toMatchObject({ found: [], refused: [expect.stringContaining('is a link to')] });
  });

  test('the other name is tried where one is refused', async () => {
    const at = place();
    symlinkSync('/etc/passwd', join(at.cwd, 'AGENTS.md'));
    put(join(at.cwd, 'CLAUDE.md'), 'the other');
    expect(await contents(files, at)).toMatchObject({ found: ['the other'], refused: [expect.any(String)] });
  });

  test('the user’s own file may lead anywhere', async () => {
    const at = place();
    put(join(at.home, 'dotfiles/AGENTS.md'), 'own');
    symlinkSync('../dotfiles/AGENTS.md', join(at.agentDirectory, 'AGENTS.md'));
    expect(await contents(files, at)).toEqual({ found: ['own'], refused: [] });
  });
});

describe('above the working directory', () => {
  test('a directory that every user can write is where the search ends, sticky or not', async () => {
    for (const mode of [0o777, 0o1777]) {
      const at = place();
      put(join(at.home, 'AGENTS.md'), 'home');
      put(join(at.project, 'AGENTS.md'), 'project');
      put(join(at.cwd, 'AGENTS.md'), 'inner');
      chmodSync(at.project, mode);
      const because = `${at.project} can be written by every user. Change owner or mode to use it.`;
      expect(await contents(owned({}), at)).toEqual({
        found: ['inner'],
        refused: [`${at.home}/AGENTS.md is not used: ${because}`, `${at.project}/AGENTS.md is not used: ${because}`],
      });
    }
  });

  test('files and directories of other users are not used, those of root are', async () => {
    const at = place();
    put(join(at.home, 'AGENTS.md'), 'home');
    put(join(at.project, 'AGENTS.md'), 'project');
    expect(await contents(owned({ [at.home]: 0, [at.project]: 0 }), at)).toMatchObject({ found: ['home', 'project'] });
    const theirs = await contents(owned({ [join(at.project, 'AGENTS.md')]: 1001 }), at);
    expect(theirs.found).toEqual(['home']);
    expect(theirs.refused).toEqual([
      `${at.project}/AGENTS.md is not used: it belongs to another user (id 1001). Change owner or mode to use it.`,
    ]);
    const below = await contents(owned({ [at.project]: 1001 }), at);
    expect(below.found).toEqual([]);
    expect(below.refused[0]).toContain(`${at.project} belongs to another user (id 1001).`);
  });

  test('a file that every user can write is not used', async () => {
    const at = place();
    put(join(at.project, 'AGENTS.md'), 'project');
    chmodSync(join(at.project, 'AGENTS.md'), 0o666);
    expect(await contents(owned({}), at)).toMatchObject({
      found: [],
      refused: [expect.stringContaining('it can be written')],
    });
  });

  test('where the system has no users, nothing is asked', async () => {
    const at = place();
    put(join(at.project, 'AGENTS.md'), 'project');
    chmodSync(at.project, 0o777);
    expect(await contents({ ...owned({ [at.project]: 0 }), userId: undefined }, at)).toEqual({
      found: ['project'],
      refused: [],
    });
  });
});

test('the working directory may belong to another user, and to every user; a file of a third one in it is not used', async () => {
  const at = place();
  const note = join(at.cwd, 'AGENTS.md');
  put(note, 'inner');
  chmodSync(at.cwd, 0o777);
  expect(await contents(owned({ [at.cwd]: 1001, [note]: 1001 }), at)).toMatchObject({ found: ['inner'] });
  const theirs = await contents(owned({ [at.cwd]: 0, [note]: 1001 }), at);
  expect(theirs).toEqual({
    found: [],
    refused: [`${note} is not used: it belongs to another user (id 1001) than ${at.cwd}. Change its owner to use it.`],
  });
});

test('where there is no note, nothing but the notes is asked for', async () => {
  const at = place();
  const asked: string[] = [];
  const counted = {
    ...owned({}),
    info: async (path: string) => {
      asked.push(path);
      return undefined;
    },
    resolve: async () => {
      throw new Error('not needed');
    },
  };
  await findContextFiles(counted, at.agentDirectory, at.cwd);
  const directories = at.cwd.split('/').length + 1;
  expect(asked).toHaveLength(directories * 2);
});
