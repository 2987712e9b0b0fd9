import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Child = {
  pid: number
  /** The text after the word that it printed when it was ready. */
  address: string
  /** Time from the start to that word. */
  startMs: number
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '..')
const running = new Set<ChildProcess>()

/** Starts a file of this repository on this Node and waits until it prints a line that `ready` matches. Throws if it ends first. */
export async function startChild(
  file: string,
  environment: Record<string, string> = {},
  ready = /^ready (\S+)/,
): Promise<Child> {
  const began = performance.now()
  const child = spawn(process.execPath, [join(root, file)], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = `${complaint}${chunk}`.slice(-2000)
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const address = ready.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return { pid: child.pid ?? 0, address, startMs: performance.now() - began, stop: () => stop(child) }
  }
  throw new Error(`${file} ended before it was ready. ${complaint}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  child.kill('SIGCONT')
  await ended
}

/** Ends the processes that a failed case left running. */
export const stopChildren = (): Promise<unknown> => Promise.all([...running].map(stop))
