// Converts the ES modules of a split bundle to CommonJS: all modules of the start in one file, each lazy chunk in its own file.
// @ts-check
import { posix } from 'node:path';
import { build, transform } from 'esbuild';

/**
 * @typedef {object} Module
 * @property {string} text
 * @property {readonly { path: string, kind: string, external?: boolean }[]} imports
 * @property {boolean} [isCommonJs] A CommonJS package that is imported lazily. The bundler exports it only as `default`.
 */

/** Options of esbuild for every CommonJS file of the program. */
export const COMMONJS_OPTIONS = /** @type {const} */ ({
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'silent',
});
const COMMON = /** @type {const} */ ({ ...COMMONJS_OPTIONS, define: { 'import.meta.url': 'module.url' } });

/** Short names keep the start chunk small. PARLEY_BUILD=readable keeps the names in stack traces. */
export const HAS_SHORT_NAMES = process.env.PARLEY_BUILD !== 'readable';

/**
 * Appended to a CommonJS package in its own file: `import()` of it then returns the same as in Node, the members by name and the
 * module as `default`. Getters are used, because packages load some members on first use.
 */
const NAMED_EXPORTS = `
;(whole=>{module.exports={__proto__:null,default:whole};
for(const name of Object.keys(Object(whole)))name!=="default"&&Object.defineProperty(module.exports,name,{get:()=>whole[name],enumerable:!0})
})(module.exports.default);`;

/**
 * @param {ReadonlyMap<string, Module>} modules By path, with `/` as separator.
 * @param {string} entry
 * @returns {Promise<Map<string, string>>} File contents by name; the first is `start.js`.
 */
export async function toCommonJs(modules, entry) {
  const start = staticClosure(modules, entry);
  const texts = new Map([['start.js', await bundleStart(modules, entry, start)]]);
  for (const [path, module] of modules) {
    if (!start.includes(path)) texts.set(posix.basename(path), await convertLazy(path, module, start));
  }
  return texts;
}

/**
 * All modules that are loaded before the first line of the program runs.
 * @param {ReadonlyMap<string, Module>} modules
 * @param {string} entry
 */
function staticClosure(modules, entry) {
  const paths = new Set([entry]);
  for (const path of paths) {
    for (const { path: to, kind, external } of modules.get(path)?.imports ?? []) {
      if (kind === 'import-statement' && !external) paths.add(to);
    }
  }
  return [...paths];
}

/**
 * Lazy chunks access modules of the start as `require("./start.js").cN`.
 * @param {ReadonlyMap<string, Module>} modules
 * @param {string} entry
 * @param {readonly string[]} start
 */
async function bundleStart(modules, entry, start) {
  // The bundler names the exports of a module after its path, several times each: a short path keeps the start chunk small.
  const aliases = new Map(start.map((path, n) => [path, `c${n}`]));
  const paths = new Map([...aliases].map(([path, alias]) => [alias, path]));
  const shared = start.map((path, n) => `import*as c${n} from${JSON.stringify(path)};`).slice(1);
  const names = shared.map((_, n) => `c${n + 1}`).join();
  const { outputFiles } = await build({
    ...COMMON,
    stdin: { contents: `${shared.join('')}export{${names}};import ${JSON.stringify(entry)}` },
    bundle: true,
    write: false,
    // Joining the modules makes their short names longer, because the names of one module must not hide those of another.
    minifyIdentifiers: HAS_SHORT_NAMES,
    plugins: [
      {
        name: 'modules',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
            if (kind === 'entry-point') return undefined;
            const to = modules.has(path) ? path : posix.join(posix.dirname(paths.get(importer) ?? importer), path);
            const alias = aliases.get(to);
            if (alias !== undefined) return { path: alias, namespace: 'module' };
            return { path: modules.has(to) ? `./${posix.basename(to)}` : path, external: true };
          });
          onLoad({ filter: /.*/, namespace: 'module' }, ({ path: alias }) => ({
            contents: replaceImports(modules.get(paths.get(alias) ?? '')),
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

/**
 * @param {string} path
 * @param {Module} module
 * @param {readonly string[]} start
 */
async function convertLazy(path, module, start) {
  const { code } = await transform(replaceImports(module), COMMON);
  const text = module.isCommonJs ? code + NAMED_EXPORTS : code;
  return text.replace(/\brequire\("(\.[^"]+)"\)/g, (_, to) => {
    const n = start.indexOf(posix.join(posix.dirname(path), to));
    return n < 0 ? `require("./${posix.basename(to)}")` : `require("./start.js").c${n}`;
  });
}

/**
 * Replaces `import()` of lazy chunks and of Node modules by `require`: the first `import()` of a process takes milliseconds, and a
 * namespace import of a built-in module copies every member. Packages are imported by the launcher, which is not in the code cache.
 * A built-in module that is imported lazily becomes an object that inherits the members and has the module as `default`.
 * @param {Module | undefined} module
 */
function replaceImports(module) {
  const lazy = new Set(
    module?.imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => posix.basename(path)),
  );
  return (module?.text ?? '')
    .replace(/\bimport\("([^"]+)"\)/g, (_, path) => {
      const name = JSON.stringify(path);
      if (path.startsWith('node:')) {
        return `Promise.resolve().then(()=>({__proto__:require(${name}),default:require(${name})}))`;
      }
      const isLazy = path.startsWith('.') && lazy.has(posix.basename(path));
      return isLazy ? `Promise.resolve().then(()=>require(${name}))` : `require.importPackage(${name})`;
    })
    .replace(/\bimport(?: |\*as )(\w+) from("node:[^"]+");/g, 'const $1=require($2);');
}
