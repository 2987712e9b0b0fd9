import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { answerOf } from '#server/testing/processes/answer-of.ts'
import { until } from '#server/testing/until.ts'

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

/**
 * Starts a program and waits until it answers at `address`, except with 404 or an error of its own. Throws if it ends first, or takes
 * longer than `patienceMs`.
 */
export async function startProgram(
  program: string,
  args: readonly string[],
  { address, environment = {}, patienceMs = 60_000 }: ProgramOptions,
): Promise<Child> {
  const began = performance.now()
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production' as const, ...environment }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const started = once(child, 'spawn')
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2000)
    })
  await started
  try {
    await until(
      async () => {
        const answer = await answerOf(child, address)
        return answer !== undefined && answer.status !== 404 && answer.status < 500 ? true : undefined
      },
      `The answer of ${program}`,
      patienceMs,
    )
  } catch (cause) {
    await stop(child)
    throw new Error(`${program} did not start. ${said}`, { cause })
  }
  return { pid: child.pid ?? 0, address, startMs: performance.now() - began, stop: () => stop(child) }
}

type ProgramOptions = { address: string; environment?: Record<string, string>; patienceMs?: number }

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  child.kill('SIGCONT')
  await ended
}

/** Ends the processes that a failed case left running. */
export const stopChildren = (): Promise<unknown> => Promise.all([...running].map(stop))
