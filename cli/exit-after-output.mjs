/**
 * Ends this process with an exit code as soon as its output is taken. A pipe that is full takes the rest later, and `process.exit`
 * alone would discard it: the end of a long output, where its result stands. Never returns to the caller.
 */
export async function exitAfterOutput(code) {
  for (const stream of [process.stdout, process.stderr]) await new Promise((taken) => stream.write('', taken))
  process.exit(code)
}
