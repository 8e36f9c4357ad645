// The subcommands, by the first argument. Each one is loaded when it is used.
import { parseArguments } from './parse-arguments.ts';

type Subcommand = (argv: readonly string[], warn: (line: string) => void) => Promise<string>;

/** Each returns the text for stdout. `parley help` is not listed, because it only prints the help of the others. */
export const SUBCOMMANDS = {
  acp: async () => (await import('./acp.ts')).runAcp,
  serve: async () => {
    const { runServe } = await import('../app/modes/serve/serve.ts');
    return (argv: readonly string[], warn: (line: string) => void) => runServe(argv, warn, parseArguments);
  },
  submit: async () => {
    const { runSubmit } = await import('../app/modes/submit.ts');
    return (argv: readonly string[], warn: (line: string) => void) => runSubmit(argv, warn, parseArguments);
  },
  submissions: async () => {
    const { runSubmissions } = await import('../app/modes/submissions.ts');
    return (argv: readonly string[], warn: (line: string) => void) => runSubmissions(argv, warn, parseArguments);
  },
  worker: async () => {
    const { runWorker } = await import('../app/modes/worker/worker.ts');
    return (argv: readonly string[], warn: (line: string) => void) => runWorker(argv, warn, parseArguments);
  },
  attach: async () => (await import('../app/modes/attach/attach.ts')).runAttach,
  login: async () => (await import('../app/modes/login.ts')).runLogin,
  logout: async () => (await import('../app/modes/logout.ts')).runLogout,
  models: async () => (await import('../app/modes/models.ts')).runModels,
  sessions: async () => (await import('../app/modes/sessions.ts')).runSessions,
  config: async () => (await import('../app/modes/config.ts')).runConfig,
  permissions: async () => (await import('../app/modes/permissions.ts')).runPermissions,
  trust: async () => (await import('../app/modes/trust.ts')).runTrust,
  export: async () => (await import('../app/modes/export.ts')).runExport,
  mcp: async () => {
    const { runMcp } = await import('../app/modes/mcp.ts');
    return (argv: readonly string[], warn: (line: string) => void) => runMcp(argv, warn, parseArguments);
  },
  doctor: async () => (await import('../app/modes/doctor.ts')).runDoctor,
  schema: async () => (await import('../app/modes/schema.ts')).runSchema,
  update: async () => (await import('../app/modes/update.ts')).runUpdate,
  version: async () => (await import('../app/modes/version.ts')).runVersion,
} satisfies Readonly<Record<string, () => Promise<Subcommand>>>;

export type SubcommandName = keyof typeof SUBCOMMANDS;

export function isSubcommand(name: string | undefined): name is SubcommandName {
  return name !== undefined && Object.hasOwn(SUBCOMMANDS, name);
}
