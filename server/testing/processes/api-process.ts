// The API as a process that a test can kill; with the console that COUNTERSIGN_CONSOLE names, or without one. Prints
// "ready <baseUrl>" when it answers.
import { openConsole } from '#server/console.ts'
import { run } from '#server/run.ts'
import { noPages } from '../no-pages.ts'

const { COUNTERSIGN_CONSOLE } = process.env
const ready = 'Countersign is ready at '
await run(COUNTERSIGN_CONSOLE === undefined ? noPages : openConsole(COUNTERSIGN_CONSOLE), (line) => {
  if (line.startsWith(ready)) process.stdout.write(`ready ${line.slice(ready.length)}\n`)
})
