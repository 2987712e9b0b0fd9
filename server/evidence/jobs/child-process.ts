import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { constants, getPriority, setPriority } from 'node:os'
import { runtime } from '#server/kernel/runtime.ts'

// Keeps the process below 250 MB whatever the size of the archive (decision 0039); bench/cases/case-11-memory.ts measures it.
const options = ['--max-old-space-size=112', '--min-semi-space-size=8', '--max-semi-space-size=8']
const environment = {
  NODE_ENV: 'production' as const,
  // glibc then returns freed buffers to the system, as in cli/server-memory.mjs.
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
}

/** An archive takes minutes of a core's time, and people and agents wait for the other processes: those go first. */
const priority = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL)

/**
 * Has a process of its own do one piece of work: sends `message` over its channel, which copies buffers and dates, and returns
 * the answer. The process is killed when `signal` aborts, and then this rejects with the signal's reason. It gets no arguments
 * and no environment of the server: whatever is secret goes over the channel and appears in no list of processes.
 */
export async function askProcess<Answer>(module: URL, message: object, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted()
  const cache = getCompileCacheDir()
  const child = fork(module, [], {
    execArgv: options,
    env: { ...environment, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const answered = Promise.withResolvers<Answer>()
  child.once('message', (answer) => answered.resolve(answer as Answer))
  child.once('error', answered.reject)
  child.once('exit', (code, killedBy) => {
    const end = () =>
      answered.reject(new Error(`The process ${module.pathname} ended with ${killedBy ?? `code ${code}`}.`))
    // The end may be heard of before the answer, which the channel still has. It disconnects when it has been read to its end.
    if (child.connected) child.once('disconnect', () => setImmediate(end))
    else setImmediate(end)
  })
  giveWay(child)
  child.send(message, (error) => {
    // The process has ended, and `answered` says so.
    if (error) runtime().log.debug({ err: error }, 'a process did not take its work')
  })
  try {
    return await answered.promise
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', kill)
    kill()
  }
}

/** Where the system does not allow that, the work is done at the server's own priority. */
function giveWay({ pid }: ChildProcess): void {
  // A process that could not be started reports that itself.
  if (pid === undefined) return
  try {
    setPriority(pid, priority)
  } catch (error) {
    runtime().log.warn({ err: error }, 'a process could not be given a lower priority')
  }
}
