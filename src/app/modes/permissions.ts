// `parley permissions`: shows, changes and tests the permission rules. Each action is loaded when it is used.
import { Fault, findClosestMatch } from '../../base/index.ts';
import { PERMISSIONS_HELP } from './permissions/help.ts';

type PermissionsAction = (argv: readonly string[], warn: (line: string) => void) => Promise<string>;

/** Each action returns the text for stdout. Its usage is in permissions/help.ts. */
const ACTIONS: Readonly<Record<string, () => Promise<PermissionsAction>>> = {
  list: async () => (await import('./permissions/list.ts')).runPermissionsList,
  add: async () => (await import('./permissions/change.ts')).runPermissionsAdd,
  remove: async () => (await import('./permissions/change.ts')).runPermissionsRemove,
  test: async () => (await import('./permissions/test.ts')).runPermissionsTest,
};

/** Returns the text to print. */
export async function runPermissions(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  if (argv.some((word) => word === '-h' || word === '--help')) return PERMISSIONS_HELP;
  const [first = 'list'] = argv;
  const [name, rest] = first.startsWith('-') ? ['list', argv] : [first, argv.slice(1)];
  const load = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (load) return (await load())(rest, warn);
  const nearest = findClosestMatch(name, Object.keys(ACTIONS));
  const suggestion = nearest ? ` Did you mean \`parley permissions ${nearest}\`?` : '';
  throw new Fault('config', `Unknown action: parley permissions ${name}.${suggestion}\n\n${PERMISSIONS_HELP}`);
}
