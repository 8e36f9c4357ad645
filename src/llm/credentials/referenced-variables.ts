// Finds the environment variables that a text refers to: as a whole JSON string ("MY_KEY"), or as $MY_KEY and ${MY_KEY}.

/** Variables with such names contain secrets. Commands also use $HOME or $PROJECT, which tools need. */
export const SECRET_VARIABLE_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH/i;

/**
 * Searches for each name instead of parsing, so that a file with a syntax error gives the same result. Variables written
 * with a dollar sign count only if their name looks like that of a secret.
 */
export function findReferencedVariables(text: string, names: readonly string[]): string[] {
  return names.filter((name) => text.includes(JSON.stringify(name)) || isExpandedIn(text, name));
}

function isExpandedIn(text: string, name: string): boolean {
  return SECRET_VARIABLE_NAME.test(name) && (text.includes(`$${name}`) || text.includes(`\${${name}`));
}
