// For tests of things that send no event, such as the death of a stranger's process: asks again until it is so.

export async function until(condition: () => boolean | Promise<boolean>, deadlineMs = 40_000): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not so after ${deadlineMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
