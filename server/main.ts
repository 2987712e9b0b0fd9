import { ConfigError, loadConfig } from '#server/kernel/config.ts'
import { EmbeddedDatabaseError } from '#server/kernel/db/embedded.ts'
import { openConsole } from './console.ts'
import { serve } from './serve.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** One line for a person who can act on it; the rest of the world gets the stack. */
function explain(error: unknown, port: number | undefined): string {
  if (error instanceof ConfigError || error instanceof EmbeddedDatabaseError) return error.message
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return `Port ${port} is in use: another Countersign, or something else, listens there. Set PORT to another one.`
  if ((error as NodeJS.ErrnoException).code === 'EACCES')
    return `Port ${port} may not be used by this account. Set PORT to another one.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

let port: number | undefined
try {
  const config = loadConfig()
  port = config.port
  const server = await serve(config, say, openConsole())
  say(`Countersign is ready at ${server.baseUrl}`)
  let stopping = false
  const stop = () => {
    // npm forwards a signal that the terminal has sent already.
    if (stopping) return
    stopping = true
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${explain(error, port)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
} catch (error) {
  process.stderr.write(`${explain(error, port)}\n`)
  process.exit(1)
}
