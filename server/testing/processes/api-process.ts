// Runs the API without the console, in a process that a test can kill. Prints "ready <baseUrl>" when it is ready.
import { loadConfig } from '#server/kernel/config.ts'
import { serve } from '#server/serve.ts'
import { noPages } from '../no-pages.ts'

const running = await serve(loadConfig(), () => undefined, noPages)
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
