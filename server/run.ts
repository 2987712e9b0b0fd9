import { ConfigError, loadConfig } from '#server/kernel/config.ts'
import { EmbeddedDatabaseError } from '#server/kernel/db/embedded.ts'
import type { OpenPages } from './console.ts'
import { serve } from './serve.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Serves until a signal ends this process: exit code 0 after everything has been closed, 1 after a failure. */
export async function run(openPages: OpenPages): Promise<void> {
  let port: number | undefined
  try {
    const config = loadConfig()
    port = config.port
    const server = await serve(config, say, openPages)
    say(`Countersign is ready at ${server.baseUrl}`)
    let stopping = false
    const stop = () => {
      // npm forwards a signal that the terminal has already sent.
      if (stopping) return
      stopping = true
      server.close().then(
        () => process.exit(0),
        (error: unknown) => fail(error, port),
      )
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  } catch (error) {
    fail(error, port)
  }
}

function fail(error: unknown, port: number | undefined): never {
  process.stderr.write(`${explain(error, port)}\n`)
  process.exit(1)
}

/** One line for errors that the operator can fix; all others show the stack. */
function explain(error: unknown, port: number | undefined): string {
  if (error instanceof ConfigError || error instanceof EmbeddedDatabaseError) return error.message
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return `Port ${port} is in use by another process, possibly another Countersign. Set PORT to a different port.`
  if ((error as NodeJS.ErrnoException).code === 'EACCES')
    return `This account may not use port ${port}. Set PORT to a different port.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
