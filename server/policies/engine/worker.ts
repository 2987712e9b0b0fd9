import { Worker, type WorkerOptions } from 'node:worker_threads'
import { threadMs, threadSlot } from './thread-time.ts'

/** Cedar trapped, ran out of time or out of memory: the worker it ran in is gone. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure'
}

/**
 * Starts a worker file of this folder. It never keeps the process alive, except while it is asked something.
 * The name is a parameter so that Next's bundler leaves the file where it is.
 */
export function startWorker(file: string, options: WorkerOptions): Worker {
  const slot = threadSlot()
  const worker = new Worker(new URL(file, import.meta.url), { ...options, workerData: slot })
  slots.set(worker, slot)
  worker.unref()
  return worker
}

const slots = new WeakMap<Worker, Int32Array>()

/** How often a thread's own time is looked at, in milliseconds. */
const lookMs = 200

/**
 * Sends `message` and takes the worker's next answer as A. After any EngineFailure the worker has been ended. `cpuMs` is
 * the thread's own time for this message, from the first look on: on a busy machine it passes slower than `timeoutMs`,
 * which bounds the wait. An answer that comes before the first look costs nothing.
 */
export async function ask<A>(worker: Worker, message: unknown, timeoutMs: number, cpuMs?: number): Promise<A> {
  let before: number | undefined
  const answered = Promise.withResolvers<A>()
  const fail = (reason: string, cause?: unknown) => answered.reject(new EngineFailure(reason, { cause }))
  const onError = (error: unknown) => fail('The policy engine trapped.', error)
  const onExit = () => fail('The policy engine ended.')
  const timer = setTimeout(() => fail(`The policy engine gave no answer within ${timeoutMs} ms.`), timeoutMs)
  const slot = slots.get(worker)
  const look = () => {
    const spentMs = slot && threadMs(slot)
    if (cpuMs === undefined || spentMs === undefined) return
    before ??= spentMs
    if (spentMs - before > cpuMs) fail(`The policy engine gave no answer within ${cpuMs} ms of its own time.`)
  }
  const looks = cpuMs === undefined ? undefined : setInterval(look, lookMs)
  worker.once('message', answered.resolve)
  worker.once('error', onError)
  worker.once('exit', onExit)
  worker.ref()
  try {
    worker.postMessage(message)
    return await answered.promise
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    clearTimeout(timer)
    clearInterval(looks)
    worker.unref()
    worker.off('message', answered.resolve)
    worker.off('error', onError)
    worker.off('exit', onExit)
  }
}
