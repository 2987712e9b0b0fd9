import { type Config, ConfigError, loadConfig } from '#server/kernel/config.ts'
import { EmbeddedDatabaseError } from '#server/kernel/db/embedded.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { OpenPages } from './console.ts'
import { serve } from './serve.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** The terminal signals the whole group, and npm forwards its own signal: the same signal within this time counts once. */
const sameSignalMs = 500

/** Closing takes at most so long after running requests and jobs have had their time. Supervisors are told to wait for ten seconds. */
const closeMs = 7000

/**
 * Serves until a signal ends this process: exit code 0 after everything has been closed, or what takes too long was left as by
 * a crash; 1 after a failure or if a second signal ended it before that.
 */
export async function run(openPages: OpenPages, say = print): Promise<void> {
  let config: Config | undefined
  try {
    config = loadConfig()
    const seconds = config.drainSeconds
    const server = await serve(config, say, openPages)
    say(`Countersign is ready at ${server.baseUrl}`)
    let first: { signal: NodeJS.Signals; at: number } | undefined
    const stop = (signal: NodeJS.Signals) => {
      if (first !== undefined) {
        if (signal === first.signal && performance.now() - first.at < sameSignalMs) return
        process.stderr.write(
          'Stopped by a second signal. What was running continues in another process, or at the next start.\n',
        )
        process.exit(1)
      }
      first = { signal, at: performance.now() }
      say(`Stopping: running requests and calls have up to ${seconds} seconds. A second signal stops immediately.`)
      setTimeout(
        () => {
          runtime().log.error({ open: server.open() }, 'the process ends although parts of it are still open')
          process.exit(0)
        },
        seconds * 1000 + closeMs,
      )
      server.close().then(
        () => process.exit(0),
        (error: unknown) => fail(error, config),
      )
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  } catch (error) {
    fail(error, config)
  }
}

function fail(error: unknown, config: Config | undefined): never {
  process.stderr.write(`${explain(error, config)}\n`)
  process.exit(1)
}

/** One line for errors that the operator can fix; all others show the stack. */
function explain(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigError || error instanceof EmbeddedDatabaseError) return error.message
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  const setting = port !== undefined && port === config?.metricsPort ? 'METRICS_PORT' : 'PORT'
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another process, possibly another Countersign. Set ${setting} to a different port.`
  if (code === 'EACCES' && port !== undefined)
    return `This account may not use port ${port}. Set ${setting} to a different port.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
