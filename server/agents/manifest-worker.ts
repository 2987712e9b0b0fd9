// Reads one manifest after the other in a thread, which ends with the process or with a manifest that takes too long.
import { parentPort } from 'node:worker_threads'
import { ApiError } from '#lib/errors.ts'
import { tellThread } from '#server/kernel/threads/thread-time.ts'
import { readManifest } from './manifest.ts'
import type { ManifestAnswer } from './manifest-thread.ts'

function answer(yaml: string): ManifestAnswer {
  try {
    return { manifest: readManifest(yaml) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, issues } = error
    return { refused: { code, message, issues } }
  }
}

tellThread()
parentPort?.on('message', (yaml: string) => parentPort?.postMessage(answer(yaml)))
