// Which environment variables a text names: as a whole JSON string ("MY_KEY"), or as $MY_KEY and ${MY_KEY}. Pure.

/** Names like these hold secrets. Commands also use $HOME or $PROJECT, which tools need. */
export const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH/i;

/**
 * Looks for each name in the text and does not parse it, so that a file with a syntax error names the same variables.
 * Of those that are written with a dollar sign only the ones count that are named like a secret.
 */
export function variablesNamedIn(text: string, names: readonly string[]): string[] {
  return names.filter((name) => text.includes(JSON.stringify(name)) || isExpandedIn(text, name));
}

function isExpandedIn(text: string, name: string): boolean {
  return SECRET_VARIABLE.test(name) && (text.includes(`$${name}`) || text.includes(`\${${name}`));
}
