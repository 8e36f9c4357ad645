// First floor, commands: a text with something in it, for names and keys that mean nothing when they are blank.
import { pipe, regex, string } from 'valibot';

export const filled = pipe(string(), regex(/\S/, 'must not be empty'));
