// What the environment says about the database in which sessions are stored.

export interface DatabaseSecrets {
  readonly url: string | undefined;
  readonly key: string | undefined;
}

/** Removes the variables, so that no extension and no child process gets them. */
export function takeDatabaseSecrets(env: NodeJS.ProcessEnv): DatabaseSecrets {
  const { PARLEY_DATABASE_URL: url, PARLEY_DATABASE_KEY: key } = env;
  delete env.PARLEY_DATABASE_URL;
  delete env.PARLEY_DATABASE_KEY;
  return { url: url === '' ? undefined : url, key };
}
