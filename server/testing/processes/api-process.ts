// The API as a process that a test can kill; with the console that COUNTERSIGN_CONSOLE names, or without one. Prints
// "ready <baseUrl>" when it answers.
import { openConsole } from '#server/console.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { serve } from '#server/serve.ts'
import { noPages } from '../no-pages.ts'

const { COUNTERSIGN_CONSOLE } = process.env
const pages = COUNTERSIGN_CONSOLE === undefined ? noPages : openConsole(COUNTERSIGN_CONSOLE)
const running = await serve(loadConfig(), () => undefined, pages)
process.stdout.write(`ready ${running.baseUrl}\n`)
process.on('SIGTERM', () => {
  running.close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    },
  )
})
