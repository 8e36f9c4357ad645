// The subcommands, by the first argument. Each one is loaded when it is used.

type Subcommand = (argv: readonly string[], warn: (line: string) => void) => Promise<string>;

/** Each returns the text for stdout. */
export const SUBCOMMANDS: Readonly<Record<string, () => Promise<Subcommand>>> = {
  sessions: async () => (await import('../app/modes/sessions.ts')).runSessions,
  config: async () => (await import('../app/modes/config.ts')).runConfig,
  trust: async () => (await import('../app/modes/trust.ts')).runTrust,
  schema: async () => (await import('../app/modes/schema.ts')).runSchema,
  doctor: async () => (await import('../app/modes/doctor.ts')).runDoctor,
  export: async () => (await import('../app/modes/export.ts')).runExport,
};
