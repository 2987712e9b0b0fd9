import type { Worker } from 'node:worker_threads'
import { ApiError, type ErrorCode, type Issue } from '#lib/errors.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { TenantQueue } from '#server/kernel/threads/tenant-queue.ts'
import { ask, startWorker, WorkerFailure } from '#server/kernel/threads/worker.ts'
import type { Manifest } from './manifest.ts'

export type ManifestAnswer =
  | { manifest: Manifest }
  | { refused: { code: ErrorCode; message: string; issues: Issue[] | undefined } }

/** Milliseconds: processor time of the thread for one manifest, including its start; the wait for its answer. */
const cpuMs = 3000
const timeoutMs = 30_000
const queue = new TenantQueue({ atOnce: 1, perTenant: 8 })

// The thread of the process, until it fails. Owner: this module.
let worker: Worker | undefined

/**
 * Like readManifest, in a thread: some manifests take a tenth of a second, in which no other tenant would get an answer. Throws
 * `rate_limited` when too many of the tenant's manifests are waiting.
 */
export async function readManifestApart(tenantId: string, yaml: string): Promise<Manifest> {
  // A text that is too large is not handed over: its size alone decides.
  const text = yaml.slice(0, wireLimits.manifest.bytes + 1)
  const answer = await queue.run(tenantId, () => answerTo(text))
  if ('manifest' in answer) return answer.manifest
  const { code, message, issues } = answer.refused
  throw new ApiError(code, message, issues === undefined ? {} : { issues })
}

async function answerTo(yaml: string): Promise<ManifestAnswer> {
  worker ??= start()
  try {
    return await ask<ManifestAnswer>(worker, yaml, timeoutMs, cpuMs)
  } catch (error) {
    worker = undefined
    if (!(error instanceof WorkerFailure)) throw error
    throw new ApiError('invalid_manifest', 'This manifest takes too long to read. Simplify it.', { cause: error })
  }
}

function start(): Worker {
  const started = startWorker(import.meta.url, 'manifest-worker.ts', {
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  })
  const forget = () => {
    if (worker === started) worker = undefined
  }
  // Without a listener its error would end the process.
  started.on('error', forget)
  started.on('exit', forget)
  return started
}

/** Ends the thread. A later manifest starts a new one. */
export async function closeManifestThread(): Promise<void> {
  const ended = worker
  worker = undefined
  await ended?.terminate()
}
