// Polls a condition that has no event, such as the end of a process that is not a child.

export async function waitUntil(condition: () => boolean | Promise<boolean>, deadlineMs = 40_000): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Condition not true after ${deadlineMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
