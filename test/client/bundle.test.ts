// Checks the browser bundle of the client: it contains no agent code and imports no Node modules statically.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/client/index.ts'],
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  external: ['node:*'],
  outdir: 'nowhere',
  write: false,
  metafile: true,
  logLevel: 'silent',
});

test('the bundle contains only src/client and src/base', () => {
  const folders = Object.keys(metafile.inputs).map((path) => path.split('/').slice(0, 2).join('/'));
  expect([...new Set(folders)].sort()).toEqual(['src/base', 'src/client']);
});

test('the bundle is smaller than 60 kB', () => {
  const [file] = outputFiles;
  expect(file?.contents.length).toBeGreaterThan(1000);
  expect(file?.contents.length).toBeLessThan(60_000);
});

test('Node modules are loaded only when an agent is spawned or a socket is opened', async () => {
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  expect(imports.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual([
    'dynamic-import node:child_process',
    'dynamic-import node:http',
    'dynamic-import node:https',
    'dynamic-import node:net',
    'dynamic-import node:url',
  ]);
  const page = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`;
  const { process, Buffer } = globalThis;
  try {
    Object.assign(globalThis, { process: undefined, Buffer: undefined });
    expect(Object.keys(await import(/* @vite-ignore */ page)).sort()).toEqual([
      ...['AgentExitedError', 'ConnectionError', 'ConnectionLostError', 'RpcClient', 'RpcError'],
      ...['connectAgent', 'createClient', 'spawnAgent'],
    ]);
  } finally {
    Object.assign(globalThis, { process, Buffer });
  }
});
