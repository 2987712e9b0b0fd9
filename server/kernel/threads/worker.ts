import { Worker, type WorkerOptions } from 'node:worker_threads'
import { threadMs, threadSlot } from './thread-time.ts'

/** The work trapped, or ran out of time or memory; its worker has been ended. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure'
}

/**
 * Starts a worker file that is next to `module`. It keeps the process alive only while a question is pending. The name is a
 * parameter so that Next's bundler does not move the file.
 */
export function startWorker(module: string, file: string, options: WorkerOptions): Worker {
  const slot = threadSlot()
  const worker = new Worker(new URL(file, module), { ...options, workerData: slot })
  slots.set(worker, slot)
  worker.unref()
  return worker
}

const slots = new WeakMap<Worker, Int32Array>()

/** Interval between checks of a thread's processor time, in milliseconds. */
const lookMs = 200

/**
 * Sends `message` and returns the worker's next message as A. The worker has been ended after any WorkerFailure. `cpuMs` limits
 * the thread's processor time for this message, measured from the first check on; `timeoutMs` limits the wait, which is longer
 * on a busy machine. An answer that arrives before the first check is never measured.
 */
export async function ask<A>(worker: Worker, message: unknown, timeoutMs: number, cpuMs?: number): Promise<A> {
  let before: number | undefined
  const answered = Promise.withResolvers<A>()
  const fail = (reason: string, cause?: unknown) => answered.reject(new WorkerFailure(reason, { cause }))
  const onError = (error: unknown) => fail('The worker trapped.', error)
  const onExit = () => fail('The worker exited.')
  const timer = setTimeout(() => fail(`The worker did not answer within ${timeoutMs} ms.`), timeoutMs)
  const slot = slots.get(worker)
  const look = () => {
    const spentMs = slot && threadMs(slot)
    if (cpuMs === undefined || spentMs === undefined) return
    before ??= spentMs
    if (spentMs - before > cpuMs) fail(`The worker did not answer within ${cpuMs} ms of processor time.`)
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
