// The hall: words that may stand first on the command line instead of a message. Each is loaded when it is used.

type Subcommand = (argv: readonly string[], warn: (line: string) => void) => Promise<string>;

/** What each prints goes to stdout. */
export const SUBCOMMANDS: Readonly<Record<string, () => Promise<Subcommand>>> = {
  sessions: async () => (await import('../app/modes/sessions.ts')).runSessions,
  config: async () => (await import('../app/modes/config.ts')).runConfig,
  trust: async () => (await import('../app/modes/trust.ts')).runTrust,
  schema: async () => (await import('../app/modes/schema.ts')).runSchema,
  doctor: async () => (await import('../app/modes/doctor.ts')).runDoctor,
  export: async () => (await import('../app/modes/export.ts')).runExport,
};
