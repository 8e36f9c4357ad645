// Replaces ${VAR} and ${VAR:-default} in the texts of a server's definition.

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}/g;

/** `onMissing` is called with each variable that is neither set nor has a default. */
export function expandVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  onMissing: (variable: string) => void,
): string {
  return text.replace(
    REFERENCE,
    (_, variable: string, hasDefault: string | undefined, fallback: string | undefined) => {
      const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
      // As in a shell: with a default, an empty variable counts as unset.
      if (hasDefault !== undefined) return value || (fallback ?? '');
      if (value === undefined) onMissing(variable);
      return value ?? '';
    },
  );
}
