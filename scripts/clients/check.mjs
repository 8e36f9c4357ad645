// Counts the checks of one client and prints those that failed.

const TIMEOUT_MS = 20_000;

/** A check calls the client and tests the result. A thrown error counts as failed. */
export function createChecks(name) {
  let passed = 0;
  const failures = [];
  const withTimeout = (promise) =>
    Promise.race([
      promise,
      new Promise((_, reject) => setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS).unref()),
    ]);
  return {
    async check(title, call, isExpected = () => true) {
      try {
        const result = await withTimeout(call());
        if (isExpected(result)) passed += 1;
        else failures.push(`${title}: ${JSON.stringify(result)?.slice(0, 200)}`);
        return result;
      } catch (thrown) {
        failures.push(`${title}: ${String(thrown?.message ?? thrown).slice(0, 200)}`);
        return undefined;
      }
    },
    /** Prints the score and ends the process. */
    finish() {
      for (const failure of failures) console.log(`  failed: ${failure}`);
      console.log(`${name}: ${passed} of ${passed + failures.length}`);
      process.exit(failures.length > 0 ? 1 : 0);
    },
  };
}
